// Starts the page. It is a file of its own because the page's Content-Security-Policy allows no inline script.
import init from "./loopscope-app.js";

try {
  await init();
} catch (error) {
  const notice = document.createElement("p");
  notice.setAttribute("role", "alert");
  notice.textContent = `Loopscope could not start: ${error}`;
  document.body.append(notice);
  throw error;
}
