// Light or dark: as the system says, or as the viewer does.
const KEY = "sallyport-theme";

/** @returns {"auto" | "light" | "dark"} */
export function theme() {
  try {
    const kept = localStorage.getItem(KEY);
    return kept === "light" || kept === "dark" ? kept : "auto";
  } catch {
    return "auto";
  }
}

/** @param {"auto" | "light" | "dark"} next */
export function setTheme(next) {
  try {
    localStorage.setItem(KEY, next);
  } catch {
    // It lasts as long as the page, then.
  }
  apply(next);
}

/** @param {"auto" | "light" | "dark"} now */
function apply(now) {
  if (now === "auto") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = now;
}

apply(theme());
