/** Begins the dashboard. */
import { render } from "preact"
import { App } from "./App.tsx"
import "./style/tokens.css"
import "./style/base.css"
import "./style/parts.css"
import "./style/figures.css"

const root = document.getElementById("app")
if (root !== null) render(<App />, root)
