/** Files that a configuration file names. */
import * as path from "node:path"

/** A relative path counts from the folder of the configuration file, wherever the gateway is started. */
export const beside = (file: string, named: string): string =>
  path.isAbsolute(named) ? named : path.join(path.dirname(file), named)
