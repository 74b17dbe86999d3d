//! The binary: in a browser it mounts the page, anywhere else it prints how to open it.

#[cfg(target_arch = "wasm32")]
mod ui;

#[cfg(target_arch = "wasm32")]
use loopscope::api::content;

#[cfg(target_arch = "wasm32")]
fn main() {
    ui::browser::recovery::install_panic_hook();
    content::provide(content::parts(ui::browser::recovery::content().leak()));
    match ui::browser::address::parameters().manifest_url.clone() {
        None => start(),
        Some(url) => wasm_bindgen_futures::spawn_local(async move {
            ui::browser::address::fetch_manifest(&url).await;
            start();
        }),
    }
}

#[cfg(target_arch = "wasm32")]
fn start() {
    yew::Renderer::<ui::App>::new().render();
}

#[cfg(not(target_arch = "wasm32"))]
fn main() {
    println!("Loopscope runs in a web page. Start it with `make serve`.");
}
