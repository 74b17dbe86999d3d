// A course page written with Svelte 5.
import { hydrate as hydrateApp, mount as mountApp } from "svelte";
import App from "./App.svelte";

export const mount = (target) => mountApp(App, { target });
export const hydrate = (target) => hydrateApp(App, { target });
