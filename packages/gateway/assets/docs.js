// The tools are the vendor's own and send people elsewhere: sharing, generated clients, a desktop program.
const reference = document.getElementById("reference")
reference.textContent = ""
window.Scalar.createApiReference(reference, {
  url: "openapi.json",
  withDefaultFonts: false,
  showDeveloperTools: "never",
  hideClientButton: true,
  telemetry: false,
  agent: { disabled: true },
  mcp: { disabled: true },
  documentDownloadType: "direct"
})
// What a reader of the screen would stumble over in the vendor's markup.
const mend = () => {
  for (const one of reference.querySelectorAll("button[aria-selected]:not([role])"))
    one.removeAttribute("aria-selected")
  for (const one of document.querySelectorAll("button[role=search]")) {
    one.removeAttribute("role")
    one.setAttribute("aria-label", "Search")
  }
  for (const one of reference.querySelectorAll("button button, button a, button [tabindex]")) {
    one.removeAttribute("tabindex")
    one.removeAttribute("role")
  }
}
let due = false
new MutationObserver(() => {
  if (due) return
  due = true
  requestAnimationFrame(() => {
    due = false
    mend()
  })
}).observe(document.body, { childList: true, subtree: true })
