import { render } from "preact";
import "@preact/signals";
import { Console } from "./app";
import "../styles/colours.css";
import "../styles/base.css";
import "../styles/parts.css";
import "../styles/pages.css";
import "./console.css";

const root = document.getElementById("app");
if (root !== null) render(<Console />, root);
