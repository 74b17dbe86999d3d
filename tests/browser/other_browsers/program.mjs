// Finds the programs of the machine.
import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";

/** The first of some programs that is on the path or at one of some more places, if any. */
export function programPath(names, places = []) {
  const folders = (process.env.PATH ?? "").split(delimiter);
  return [...names.flatMap((name) => folders.map((folder) => join(folder, name))), ...places].find(isExecutable);
}

function isExecutable(path) {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
