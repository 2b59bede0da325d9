/** Names and addresses inside other languages: none of them can end the text that they stand in. */

export const lines = (...all: ReadonlyArray<string>): string => all.join("\n")

export const json = (value: unknown): string => JSON.stringify(value, null, 2)

/** For TOML, YAML and JavaScript, which all read JSON's strings; TOML takes no bare DEL. */
export const doubleQuoted = (text: string): string => JSON.stringify(text).replaceAll("\u007f", "\\u007f")

/** For a POSIX shell. */
export const shellQuoted = (text: string): string =>
  /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`
