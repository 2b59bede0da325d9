/** Pages come from the repository's documents (`scripts/docs.ts` writes them), the navigation from `docs/README.md`. */
import { defineConfig } from "vitepress"
import { errorPages, navigation } from "../build/Navigation.ts"
import { slugOf } from "../build/Slug.ts"

const ERRORS = "/docs/errors"

/** `codes`: what stands below "Errors". Only its own pages list them all, as every page carries its list. */
const sidebarWith = (codes: ReturnType<typeof errorPages>) =>
  navigation().map(({ items, text }, index) => ({
    text,
    collapsed: index > 5 && codes.length === 0,
    items: items.map((item) => (item.link === `${ERRORS}.html` ? { ...item, items: [...codes] } : item))
  }))

export default defineConfig({
  title: "Model Gateway",
  description: "One HTTP server in front of your model providers.",
  lang: "en",
  base: process.env["DOCS_BASE"] ?? "/",
  srcDir: "pages",
  outDir: "dist",
  cacheDir: "node_modules/.vitepress",
  markdown: {
    anchor: { slugify: slugOf },
    config: (md) => {
      // Code is text: `{{ … }}` in it is no expression of Vue's.
      md.renderer.rules.code_inline = (tokens, index) =>
        `<code v-pre>${md.utils.escapeHtml(tokens[index]?.content ?? "")}</code>`
    }
  },
  themeConfig: {
    sidebar: { [ERRORS]: sidebarWith(errorPages()), "/": sidebarWith([]) },
    nav: [
      { text: "Quick start", link: "/docs/quick-start.html" },
      { text: "Configuration", link: "/docs/configure.html" },
      { text: "Clients", link: "/docs/clients.html" },
      { text: "API", link: "/docs/api.html" },
      { text: "Troubleshooting", link: "/docs/troubleshooting.html" }
    ],
    outline: [2, 3],
    search: { provider: "local", options: { detailedView: true } }
  }
})
