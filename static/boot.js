// Starts the page. It is a file of its own because the page's Content-Security-Policy allows no inline script.
import init from "./loopscope-app.js";

// What the program calls. The editor proper is a file of its own, fetched after the first paint; where it does not come, the plain text box stays.
globalThis.loopscope = {
  editor(host, text, tell, ask, ready) {
    const fetched = () => import("./editor.js").then(({ connect }) => connect && ready(connect(host, text, tell, ask)), () => {});
    requestAnimationFrame(() => setTimeout(fetched));
  },
};

try {
  await init();
} catch (error) {
  const notice = document.createElement("p");
  notice.setAttribute("role", "alert");
  notice.textContent = `Loopscope could not start: ${error}`;
  document.body.append(notice);
  throw error;
}
