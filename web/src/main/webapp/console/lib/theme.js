// Light or dark theme: as the operating system, or as the user selects.
const KEY = "sallyport-theme";

/** @typedef {"auto" | "light" | "dark"} Theme */

/** @returns {Theme} */
export function theme() {
  try {
    const stored = localStorage.getItem(KEY);
    return stored === "light" || stored === "dark" ? stored : "auto";
  } catch {
    return "auto";
  }
}

/** @param {Theme} next */
export function setTheme(next) {
  try {
    localStorage.setItem(KEY, next);
  } catch {
    // Without storage, the choice lasts until the page is closed.
  }
  apply(next);
}

/** @param {Theme} selected */
function apply(selected) {
  if (selected === "auto") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = selected;
}

apply(theme());
