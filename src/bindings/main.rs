//! The wasm of the ES module `engine.js`: `loopscope::engine` with wasm-bindgen around it. `static/engine/engine.js` wraps it in the class `Cluster`.
//!
//! It is a program of its own and no part of the library, because the functions that a library exports to JavaScript would be in the page's wasm as well.

#[cfg(target_arch = "wasm32")]
mod edge {
    use loopscope::engine;
    use wasm_bindgen::prelude::*;

    /// A simulated cluster for JavaScript. Arguments, results and errors are JSON texts; an error has a code and a message.
    #[wasm_bindgen]
    pub struct Engine(engine::Engine);

    #[wasm_bindgen]
    impl Engine {
        /// Creates a cluster from options as JSON, such as `{"seed": 7, "nodes": 3}`.
        #[wasm_bindgen(constructor)]
        pub fn new(options: &str) -> Result<Engine, JsValue> {
            console_error_panic_hook::set_once();
            engine::Engine::new(options).map(Engine).map_err(thrown)
        }
        /// Calls the engine's method of this name with its arguments as JSON. Returns its answer as JSON.
        pub fn call(&mut self, method: &str, input: &str) -> Result<String, JsValue> {
            self.0.call(method, input).map_err(thrown)
        }
        /// Returns an independent copy of the cluster with the same past.
        pub fn fork(&self) -> Engine {
            Engine(self.0.fork())
        }
    }

    /// Replays a learner's share state (the inputs of a run) and judges the goals of a lesson. Returns the grade as JSON.
    #[wasm_bindgen]
    pub fn grade(state: &str, lesson: &str) -> Result<String, JsValue> {
        console_error_panic_hook::set_once();
        engine::grade(state, lesson).map_err(thrown)
    }

    fn thrown(error: engine::Error) -> JsValue {
        error.to_json().into()
    }
}

#[cfg(target_arch = "wasm32")]
fn main() {
    loopscope::api::content::provide(include!(concat!(env!("OUT_DIR"), "/content.rs")).to_vec());
}

#[cfg(not(target_arch = "wasm32"))]
fn main() {
    println!("This is the wasm of engine.js. Make it with `make engine`.");
}
