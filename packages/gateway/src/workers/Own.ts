/** Which processes are workers of this gateway: a process manager may have started it as a worker of its own. */

/** The only argument of a worker, as lists of processes show it. */
export const WORKER = "(worker)"

export const isOwnWorker = (): boolean => process.argv[2] === WORKER && process.connected
