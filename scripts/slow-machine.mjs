/**
 * Makes a process feel like a busy machine: files answer late, a disk takes its time to sync, and the event loop stops now and then.
 * `npm test -- --slow` has it in the processes of the tests and of the gateways they start (`node --import`), not in commands that get
 * an environment of their own: what fails here for no other reason waits for something that need not have come yet, and will fail some
 * day without it.
 */
import fs from "node:fs"
import { syncBuiltinESMExports } from "node:module"

/** Milliseconds at most. */
const SYNC = 200
const FILE = 60
const STOP = 200
/** Milliseconds from one stop of the event loop to the next. */
const BETWEEN = 300

/** Calls back later than the real one does. */
const late = (name, most) => {
  const real = fs[name]
  fs[name] = (...args) => {
    const done = args.pop()
    return real(...args, (...result) => setTimeout(() => done(...result), Math.random() * most))
  }
}
for (const name of ["fdatasync", "fsync"]) late(name, SYNC)
for (const name of ["open", "readFile", "rename", "stat", "writeFile"]) late(name, FILE)
syncBuiltinESMExports()

// Without using the processor: what others measure of it stays true.
const never = new Int32Array(new SharedArrayBuffer(4))
setInterval(() => Atomics.wait(never, 0, 0, Math.random() * STOP), BETWEEN).unref()
