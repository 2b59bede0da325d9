#!/usr/bin/env node
// Written so that any Node that knows modules can read it: it has to be able to say that it is too old.
var version = process.versions.node.split(".").map(Number)

if (version[0] < 22 || (version[0] === 22 && version[1] < 19)) {
  process.stderr.write(
    "model-gateway needs Node 22.19 or newer and this is Node " +
      process.versions.node +
      ": install a newer one from https://nodejs.org and run it again.\n"
  )
  process.exitCode = 1
} else {
  import("../dist/cli/main.js")
}
