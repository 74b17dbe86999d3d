//! The binary: in a browser it mounts the page, anywhere else it says how to see it.

#[cfg(target_arch = "wasm32")]
mod page {
    use yew::{Html, component, html};

    /// The whole page.
    #[component]
    pub fn App() -> Html {
        html! {
            <main>
                <h1>{ "Loopscope" }</h1>
                <p>{ "A playground for the Kubernetes reconciliation loop that runs wholly in this page." }</p>
            </main>
        }
    }
}

#[cfg(target_arch = "wasm32")]
fn main() {
    console_error_panic_hook::set_once();
    yew::Renderer::<page::App>::new().render();
}

#[cfg(not(target_arch = "wasm32"))]
fn main() {
    println!("Loopscope runs in a web page. Start it with `make serve`.");
}
