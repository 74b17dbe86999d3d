// Grades share states of learners on the teacher's machine: `node grader.mjs <lesson> <state.json>...`
// The lesson is a text as "converged within 60s", or a file with goals. Exits with 1 if a learner has not passed.
import { readFile } from "node:fs/promises";
import { grade } from "loopscope/engine";

const [lesson, ...files] = process.argv.slice(2);
if (!lesson || files.length === 0) {
  console.error('usage: node grader.mjs "converged within 60s" learner.json ...');
  process.exit(2);
}
const goals = lesson.endsWith(".json") ? JSON.parse(await readFile(lesson, "utf8")) : lesson;

for (const file of files) {
  try {
    const { passed, score, max, goals: results } = await grade(await readFile(file, "utf8"), goals);
    console.log(`${file}: ${passed ? "passed" : "not passed"}, ${score} of ${max}`);
    for (const { id, status, text } of results) console.log(`  ${id}: ${status}. ${text}`);
    if (!passed) process.exitCode = 1;
  } catch (error) {
    // A state that was tampered with is refused with a code and a sentence.
    console.log(`${file}: ${error.code}: ${error.message}`);
    process.exitCode = 1;
  }
}
