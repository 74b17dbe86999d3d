//! The binary: in a browser it mounts the page, anywhere else it prints how to open it.

#[cfg(target_arch = "wasm32")]
mod ui;

#[cfg(target_arch = "wasm32")]
fn main() {
    ui::browser::recovery::install_panic_hook();
    yew::Renderer::<ui::App>::new().render();
}

#[cfg(not(target_arch = "wasm32"))]
fn main() {
    println!("Loopscope runs in a web page. Start it with `make serve`.");
}
