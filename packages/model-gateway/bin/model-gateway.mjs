#!/usr/bin/env node
// Written so that any Node that knows modules can read it: it has to be able to say that it is too old.
import { existsSync } from "node:fs"

const version = process.versions.node.split(".").map(Number)
const bundle = new URL("../dist/main.js", import.meta.url)

const refuse = (sentence) => {
  process.stderr.write(sentence + "\n")
  process.exitCode = 1
}

if (version[0] < 22 || (version[0] === 22 && version[1] < 19)) {
  refuse(
    "model-gateway needs Node 22.19 or newer and this is Node " +
      process.versions.node +
      ": install a newer one from https://nodejs.org and run it again."
  )
} else if (!existsSync(bundle)) {
  refuse(
    "This is a clone of the repository, where the command is not built: `npm start` runs the demo and " +
      "`npm run gateway -- …` any command from the sources; `npm run build` makes this file work too."
  )
} else {
  import(bundle.href)
}
