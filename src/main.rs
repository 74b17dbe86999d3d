//! The binary: in a browser it mounts the page, anywhere else it says how to see it.

// Markup is read token by token.
#![recursion_limit = "1024"]

#[cfg(target_arch = "wasm32")]
mod ui;

#[cfg(target_arch = "wasm32")]
fn main() {
    ui::recover::watch();
    yew::Renderer::<ui::App>::new().render();
}

#[cfg(not(target_arch = "wasm32"))]
fn main() {
    println!("Loopscope runs in a web page. Start it with `make serve`.");
}
