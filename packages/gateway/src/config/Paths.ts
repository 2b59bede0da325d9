/** Files that a configuration file names. */
import * as path from "node:path"

export const beside = (file: string, named: string): string =>
  path.isAbsolute(named) ? named : path.join(path.dirname(file), named)
