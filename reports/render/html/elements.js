// The texts can contain any characters, so they only become text nodes, attributes, or text on a canvas.

// ---- numbers ----

function significant(exact, digits = 3) {
  const value = Number(exact.toPrecision(digits));
  if (value === 0) return "0";
  const magnitude = Math.floor(Math.log10(Math.abs(value)));
  return magnitude >= digits - 1 ? Math.round(value).toLocaleString("en-US")
    : value.toFixed(Math.min(digits - 1 - magnitude, 12));
}

function scaled(value, steps) {
  const [size, unit] = steps.find(([size]) => Math.abs(value) >= size * 0.9995) || steps[steps.length - 1];
  return `${significant(value / size)}\u00a0${unit}`;
}

const times = [[1e9, "s"], [1e6, "ms"], [1e3, "µs"], [1, "ns"]];
const bytes = [[2 ** 30, "GiB"], [2 ** 20, "MiB"], [2 ** 10, "KiB"], [1, "B"]];
const thousands = [[1e9, "G"], [1e6, "M"], [1e3, "k"]];

function human(value, unit) {
  if (value === null || value === undefined) return "–";
  if (unit === "ns") return scaled(value, times);
  if (unit === "B" || unit === "B/op") return scaled(value, bytes) + (unit === "B/op" ? "/op" : "");
  if (unit === "/s") return (Math.abs(value) < 1e4 ? significant(value) + "\u00a0" : scaled(value, thousands)) + "/s";
  return significant(value);
}

function humanOf(result, value = result.median) {
  return result.metric === "spin" && value !== null ? `${significant(value * 100)}\u00a0%` : human(value, result.unit);
}

function short(text) {
  return text.replace(/(\.\d*?)0+(?!\d)/, "$1").replace(/\.(?!\d)/, "");
}

function quotient(value) {
  if (value === null) return "–";
  if (value >= 99.5) return value < 1e6 ? Math.round(value).toLocaleString("en-US") : value.toExponential(1);
  if (value >= 9.995) return value.toFixed(1);
  return value >= 0.095 ? value.toFixed(2) : value.toPrecision(2);
}

function titleOf(metric) {
  return data.metrics[metric]?.title || metric;
}

function aboutMetric(metric) {
  return data.metrics[metric] ? `${metric}: ${data.metrics[metric].summary}` : metric;
}

function interval(of, format) {
  return of.low === null || of.high === null ? "" : `${format(of.low)}–${format(of.high)}`;
}

function percent(value) {
  return value === null || value === undefined ? "–" : `${significant(value, 2)} %`;
}

// ---- elements ----

function el(name, attributes = {}, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (key.startsWith("on")) element.addEventListener(key.slice(2), value);
    else if (value !== null && value !== undefined && value !== false) element.setAttribute(key, value);
  }
  element.append(...children.flat().filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

// Returns an element with the name. <bdi> prevents right-to-left characters in the name from reordering the text around
// it.
function nameOf(text) {
  const parts = text.split(/(?<=\/)/).flatMap((part, place) => (place ? [el("wbr"), part] : [part]));
  return el("bdi", {class: "name", title: text.length > 40 ? text.slice(0, 1000) : null}, parts);
}

function withOptions(text) {
  return text.split(/(--[\w-]+(?: \d\S*)?)/).map((part) => (part.startsWith("--") ? el("span", {class: "option"}, part) : part));
}

function plainTable(head, rows, caption, kind = "") {
  const cell = (tag, scope) => (content, place) =>
    el(place === 0 && tag === "td" ? "th" : tag, {scope: place === 0 && tag === "td" ? "row" : scope}, content ?? "–");
  return el("div", {class: "scroll", tabindex: "0", role: "region", "aria-label": caption},
    el("table", {class: `plain ${kind}`.trim()}, el("caption", {}, caption),
      el("thead", {}, el("tr", {}, head.map(cell("th", "col")))),
      el("tbody", {}, rows.map((row) => el("tr", {}, row.map(cell("td")))))));
}

function selectOf(label, options, chosen, onchange) {
  const select = el("select", {onchange: () => onchange(select.value)},
    options.map(([value, title]) => el("option", {value}, title)));
  select.value = chosen;
  return el("label", {class: "choice"}, `${label} `, select);
}

function choiceRow(...choices) {
  return el("div", {class: "controls"}, choices);
}

function facts(entries) {
  return el("dl", {}, entries.filter(([, value]) => value !== null && value !== undefined && value !== "")
    .flatMap(([key, value]) => [el("dt", {}, key), el("dd", {}, nameOf(String(value)))]));
}
