/** Loaded into a server where there is no `/proc`: tells its parent, when asked, what the process uses. */
export interface Usage {
  /** User and system time since the start, µs. */
  readonly cpuUs: number
  /** Resident memory, bytes. */
  readonly rss: number
}

process.on("message", () => {
  const { system, user } = process.cpuUsage()
  const usage: Usage = { cpuUs: user + system, rss: process.memoryUsage.rss() }
  process.send?.(usage)
})
// Listening for messages must not be what keeps the server alive.
process.channel?.unref()
