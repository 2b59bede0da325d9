/** Sizes of files that requests contain: pixels of images, pages and text of PDFs, seconds of recordings. For Node.js. */
export { imageSize, type ImageSize } from "./ImageSize.ts"
export { pdfContents, type PdfContents } from "./pdf/PdfContents.ts"
export { soundSeconds } from "./sound/Sound.ts"
