/** PDFs as programs write them, from the text of their objects. */

export interface PdfOptions {
  readonly head?: string
  /** Objects whose place the table of objects gives as that of another. */
  readonly moved?: Readonly<Record<number, number>>
  readonly trailer?: string
}

/** Objects by number, in order, with a table of them. Texts are Latin-1. */
export const pdfOf = (
  objects: Readonly<Record<number, string>>,
  { head = "%PDF-1.7\n", moved = {}, trailer = "/Root 1 0 R" }: PdfOptions = {}
): Buffer => {
  let text = head
  const places = new Map<number, number>()
  for (const [number, object] of Object.entries(objects)) {
    places.set(Number(number), text.length)
    text += `${number} 0 obj\n${object}\nendobj\n`
  }
  const size = Math.max(...places.keys()) + 1
  const table = Array.from({ length: size }, (_, number) => {
    const place = places.get(moved[number] ?? number)
    return `${String(place ?? 0).padStart(10, "0")} ${place === undefined ? "65535 f" : "00000 n"} \n`
  })
  return Buffer.from(
    `${text}xref\n0 ${size}\n${table.join("")}trailer\n<< /Size ${size} ${trailer} >>\nstartxref\n${text.length}\n%%EOF\n`,
    "latin1"
  )
}

/** An object with a stream. */
export const streamOf = (dictionary: string, data: string | Buffer): string =>
  `<< /Length ${data.length} ${dictionary} >>\nstream\n${typeof data === "string" ? data : data.toString("latin1")}\nendstream`

/** The objects of a document of so many empty pages, from number 10 on. */
export const pagesOf = (count: number, fields = ""): Readonly<Record<number, string>> => {
  const kids = Array.from({ length: count }, (_, index) => 10 + index)
  return {
    1: "<< /Type /Catalog /Pages 2 0 R >>",
    2: `<< /Type /Pages /Count ${count} /Kids [${kids.map((kid) => `${kid} 0 R`).join(" ")}] >>`,
    ...Object.fromEntries(kids.map((kid) => [kid, `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] ${fields} >>`]))
  }
}
