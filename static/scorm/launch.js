// Tells the course system that launched this page what the learner reaches.
import { connect } from "./loopscope-lms.js";

await connect(document.querySelector("loop-scope"));
