/** The part of docs/routing-evaluation.md that the benchmark writes: all between two comments, and nothing else. */

const START = "<!-- bench:router: written by `npm run bench:router -- --docs`, not by hand -->"
const END = "<!-- end of bench:router -->"

/** `document` with `content` between the marks. Fails where the marks are not there exactly once, in their order. */
export const replaceMarked = (document: string, content: string): string => {
  const starts = document.split(START).length - 1
  const ends = document.split(END).length - 1
  const [start, end] = [document.indexOf(START), document.indexOf(END)]
  if (starts !== 1 || ends !== 1 || end < start) {
    throw new Error(`the document must hold each of these lines once, in this order:\n${START}\n${END}`)
  }
  return `${document.slice(0, start + START.length)}\n\n${content.trim()}\n\n${document.slice(end)}`
}
