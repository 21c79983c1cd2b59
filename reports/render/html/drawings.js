// Drawings in SVG: bars with intervals, and dots with intervals. They contain all their colours, so that a copy of one
// needs no style sheet.

const scalable = "http://www.w3.org/2000/svg";

function svg(name, attributes = {}, ...children) {
  const element = document.createElementNS(scalable, name);
  for (const [key, value] of Object.entries(attributes)) {
    if (key.startsWith("on")) element.addEventListener(key.slice(2), value);
    else if (value !== null && value !== undefined) element.setAttribute(key, typeof value === "number" ? Number(value.toFixed(2)) : value);
  }
  element.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

const ruler = document.createElement("canvas").getContext("2d");

function widthOf(text, size = 12, weight = 400) {
  ruler.font = `${weight} ${size}px ${css("--sans")}`;
  return ruler.measureText(text).width;
}

function words(text, x, y, more = {}) {
  return svg("text", {x, y, fill: css("--ink"), "font-size": 12, "dominant-baseline": "central", ...more}, text);
}

// Cuts a name so that it fits into `width` pixels.
function fitted(name, width, size = 12) {
  let text = label(name, 200);
  while (text.length > 3 && widthOf(text, size) > width) text = `${text.slice(0, -2)}…`;
  return text;
}

// ---- the families' patterns ----

let patterns = 0;  // each pattern has its own id, because a pattern in a hidden drawing would not be drawn

// Returns the pattern of a family as [definition, fill]. A plain colour has no definition.
function patternOf(family) {
  const colour = css(`--${family}`), id = `pattern-${++patterns}`;
  if (family === "flagship") return [null, colour];
  if (family === "floor") return [null, css("--panel")];
  const lines = {design: "M0 0V6", asio: "M0 3H6", other: "M0 3H6M3 0V6"}[family];
  const angle = {design: 45, asio: 90, other: 45}[family];
  return [svg("pattern", {id, width: 6, height: 6, patternUnits: "userSpaceOnUse", patternTransform: `rotate(${angle})`},
    svg("rect", {width: 6, height: 6, fill: colour, opacity: 0.3}),
    svg("path", {d: lines, stroke: colour, "stroke-width": family === "other" ? 1.4 : 3})), `url(#${id})`];
}

// Returns the fills of all families: {definitions, of(family)}.
function familyFills() {
  const made = new Map(families.map(({id}) => [id, patternOf(id)]));
  return {definitions: svg("defs", {}, [...made.values()].map(([definition]) => definition)), of: (family) => made.get(family)[1]};
}

// Returns the place for a family's pattern and marker, or for its marker alone.
function swatch(family, isMarkerAlone = false) {
  const place = el("i", {class: "swatch", "aria-hidden": "true"});
  Object.assign(place, {family, isMarkerAlone});
  return place;
}

// Draws all swatches of the legends in the colours of the theme.
function drawSwatches() {
  for (const place of document.querySelectorAll(".swatch")) {
    const {family} = place, [definition, fill] = patternOf(family), colour = css(`--${family}`);
    if (place.isMarkerAlone) place.replaceChildren(svg("svg", {width: 12, height: 12}, shapeOf(family, 6, 6, 4.5)));
    else place.replaceChildren(svg("svg", {width: 34, height: 12, viewBox: "0 0 34 12"}, svg("defs", {}, definition),
      svg("rect", {x: 0.5, y: 0.5, width: 16, height: 11, fill, stroke: colour}), shapeOf(family, 27, 6, 4.5)));
  }
}

// Returns the marker of a family, as Chart.js draws it.
function shapeOf(family, x, y, size) {
  const colour = css(`--${family}`);
  const path = {
    triangle: `M${x} ${y - size}L${x + size} ${y + size * 0.8}H${x - size}Z`, rect: `M${x - size * 0.8} ${y - size * 0.8}h${size * 1.6}v${size * 1.6}h${-size * 1.6}Z`,
    rectRot: `M${x} ${y - size}L${x + size} ${y}L${x} ${y + size}L${x - size} ${y}Z`,
    crossRot: `M${x - size * 0.8} ${y - size * 0.8}L${x + size * 0.8} ${y + size * 0.8}M${x + size * 0.8} ${y - size * 0.8}L${x - size * 0.8} ${y + size * 0.8}`,
  }[markers[family]];
  return path ? svg("path", {d: path, fill: colour, stroke: colour, "stroke-width": 1.5})
    : svg("circle", {cx: x, cy: y, r: size * 0.9, fill: colour, stroke: colour});
}

// ---- intervals and rows ----

// Draws a horizontal interval with ends. A paler line beneath keeps it visible on a bar.
function whisker(low, high, y, size = 4) {
  const path = `M${low} ${y}H${high}M${low} ${y - size}V${y + size}M${high} ${y - size}V${y + size}`;
  return [["--panel", 3.5], ["--ink", 1.25]].map(([colour, width]) => svg("path", {d: path, stroke: css(colour), "stroke-width": width, fill: "none"}));
}

// Returns the attributes of a row that opens a result's trials, with the mouse and with the keyboard.
function opening(result, text) {
  const open = () => openTrials(result);
  return {tabindex: 0, role: "button", "aria-label": text, class: "row", onclick: open, onkeydown: (event) => {
    if (event.key !== "Enter" && event.key !== " ") return;
    event.preventDefault();
    open();
  }};
}

function drawing(width, height, text, ...children) {
  return svg("svg", {width, height, viewBox: `0 0 ${width} ${height}`, role: "group", "aria-label": text,
    "font-family": css("--sans")}, children);
}

// Returns round numbers from 0 to `end`, about `wanted` of them.
function roundSteps(end, wanted) {
  const raw = end / wanted, power = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 2.5, 5, 10].find((each) => each * power >= raw * 0.999) * power;
  return Array.from({length: Math.floor(end / step + 1e-9) + 1}, (_, i) => i * step);
}

// ---- bars ----

const barStep = 21;

// Draws bars: `rows` are {contender, result, value, low, high, text}, `lines` are {value, text, dash}. `end` is the end of
// the axis; a longer bar is cut, and has a gap.
function drawBars(width, {title, rows, lines, end, format}) {
  const names = Math.min(Math.max(...rows.map(({contender}) => widthOf(label(contender.name)))) + 8, width * 0.36);
  const numbers = Math.max(...rows.map(({text}) => widthOf(text, 12, 600))) + 6;
  const top = lines.some(({text}) => text) ? 18 : 4, left = names, right = width - numbers - 6;
  const bottom = top + rows.length * barStep;
  const x = (value) => left + (right - left) * Math.min(Math.max(value, 0) / end, 1);
  const fills = familyFills();
  const bar = ({contender, result, value, low, high, text}, place) => {
    const y = top + place * barStep + barStep / 2, isCut = value > end;
    return svg("g", opening(result, `${contender.name}: ${text}`), svg("title", {}, `${contender.name}: ${text}`),
      svg("rect", {x: 0, y: y - barStep / 2, width, height: barStep, fill: "transparent", class: "hit"}),
      words(fitted(contender.name, names - 8), left - 6, y, {"text-anchor": "end"}),
      svg("rect", {x: left, y: y - 7, width: Math.max(x(value) - left, 1), height: 14, fill: fills.of(contender.family), stroke: colourOf(contender)}),
      isCut ? svg("path", {d: `M${right - 14} ${y + 9}l5 -18`, stroke: css("--panel"), "stroke-width": 4})
        : low !== null && high !== null ? whisker(x(low), x(high), y) : null,
      words(text, width, y, {"text-anchor": "end", "font-weight": 600}));
  };
  const ticks = roundSteps(end, Math.max(Math.min((right - left) / 60, 6), 2)).map((value) => [
    svg("line", {x1: x(value), x2: x(value), y1: top, y2: bottom + 4, stroke: css("--line")}),
    words(short(format(value)), x(value), bottom + 14, {"text-anchor": "middle", fill: css("--muted"), "font-size": 11})]);
  return drawing(width, bottom + 24, title, fills.definitions, ticks, rows.map(bar), lines.map((line) => rule(line, x, top, bottom, line.value > end ? right : width, line.value > end)));
}

// Draws a vertical line over a chart, with its text above. For a line beyond the axis, draws only the text.
function rule({value, text, dash}, x, top, bottom, width, isBeyond) {
  const at = x(value), half = text ? widthOf(text, 11) / 2 : 0;
  if (isBeyond) return words(`${text} ▶`, width, 7, {"text-anchor": "end", "font-size": 11, fill: css("--muted")});
  return svg("g", {"pointer-events": "none"},
    svg("line", {x1: at, x2: at, y1: top - 4, y2: bottom + 2, stroke: css("--ink"), "stroke-width": dash ? 1.5 : 1, "stroke-dasharray": dash}),
    text && words(text, Math.min(Math.max(at, half), width - half), 7, {"text-anchor": "middle", "font-size": 11, fill: css("--muted")}));
}

// ---- dots ----

// Converts a ratio, above 1 is better, into a change in per cent as in the texts of the gates: 1.1 is +10, 1/1.1 is -10.
function changeOf(ratio) {
  return ratio >= 1 ? 100 * (ratio - 1) : -100 * (1 / ratio - 1);
}

const verdictColours = {faster: "--better", slower: "--worse"};

function markOfVerdict(verdict, x, y) {
  const colour = verdictColours[verdict] ? `rgb(${css(verdictColours[verdict])})` : css("--muted");
  const path = {faster: `M${x} ${y - 6}L${x + 6} ${y + 5}H${x - 6}Z`, slower: `M${x} ${y + 6}L${x + 6} ${y - 5}H${x - 6}Z`}[verdict];
  if (path) return svg("path", {d: path, fill: colour, stroke: css("--panel")});
  return svg("circle", {cx: x, cy: y, r: 4.5, fill: verdict === "equivalent" ? colour : css("--panel"), stroke: colour, "stroke-width": 1.75});
}

const narrow = 560;  // below this width, rows have two lines

// Draws one row for each of `rows`, {name, detail, result, ratio, verdict, text}: a dot with its interval on an axis from
// -reach to +reach per cent. A dot beyond the axis becomes an arrow.
function drawDots(width, {title, rows, reach, ends}) {
  const isNarrow = width < narrow;
  const widthOfName = ({name, detail}) => widthOf(label(name, 200)) + (detail ? widthOf(detail, 11) + 10 : 0);
  const names = isNarrow ? 6 : Math.min(Math.max(...rows.map(widthOfName)) + 14, width * 0.42);
  const numbers = isNarrow ? 6 : Math.max(...rows.map(({text}) => widthOf(text))) + 14;
  // In a narrow drawing, the number is after the name if there is room, and otherwise below the dot.
  const isBelow = isNarrow && rows.some((row) => widthOfName(row) + widthOf(row.text) + 24 > width);
  const left = names, right = width - numbers, step = isBelow ? 58 : isNarrow ? 40 : 24, top = 22, bottom = top + rows.length * step;
  const x = (change) => left + 8 + (right - left - 16) * (Math.min(Math.max(change, -reach), reach) + reach) / (2 * reach);
  const row = ({name, detail, result, ratio, verdict, text}, place) => {
    const start = top + place * step, y = start + (isNarrow ? 27 : step / 2), line = isNarrow ? start + 10 : y;
    const change = ratio && changeOf(ratio.median), isBeyond = ratio && Math.abs(change) > reach;
    const room = isBelow ? width - 8 : isNarrow ? width - widthOf(text) - 16 : names - 14;
    const shown = fitted(name, room - (detail ? widthOf(detail, 11) + 8 : 0));
    return svg("g", opening(result, `${name}${detail ? `, ${detail}` : ""}: ${text}`), svg("title", {}, `${name}: ${text}`),
      svg("rect", {x: 0, y: start, width, height: step, fill: place % 2 ? "transparent" : css("--page"), class: "hit"}),
      words(shown, 4, line), detail && words(detail, 12 + widthOf(shown), line, {"font-size": 11, fill: css("--muted")}),
      svg("line", {x1: x(0), x2: x(0), y1: isNarrow ? y - 9 : start, y2: isNarrow ? y + 9 : start + step, stroke: css("--muted")}),
      ratio && ratio.low !== null && ratio.high !== null && whisker(x(changeOf(ratio.low)), x(changeOf(ratio.high)), y),
      ratio && (isBeyond ? words(change > 0 ? "▶" : "◀", x(change), y, {"text-anchor": "middle", fill: `rgb(${css(change > 0 ? "--better" : "--worse")})`})
        : markOfVerdict(verdict, x(change), y)),
      words(text, width - 4, isBelow ? start + 46 : line, {"text-anchor": "end"}));
  };
  const ticks = [-reach, -reach / 2, 0, reach / 2, reach].map((value) => [
    svg("line", {x1: x(value), x2: x(value), y1: isNarrow ? bottom - 4 : top, y2: bottom, stroke: css("--line")}),
    words(`${value > 0 ? "+" : ""}${short(significant(value))} %`, x(value), bottom + 12, {"text-anchor": {[-reach]: "start", [reach]: "end"}[value] || "middle", fill: css("--muted"), "font-size": 11})]);
  return drawing(width, bottom + 24, title, words(`◀ ${ends[0]}`, x(-reach), 9, {fill: css("--muted"), "font-size": 11}),
    words(`${ends[1]} ▶`, x(reach), 9, {"text-anchor": "end", fill: css("--muted"), "font-size": 11}), ticks, rows.map(row));
}

// Returns the reach of an axis for these ratios: 10 per cent, or more if a median or most of an interval needs it.
function reachOf(ratios) {
  const furthest = Math.max(10, ...ratios.flatMap(({median, low, high}) => [median, low ?? median, high ?? median])
    .map((each) => Math.abs(changeOf(each))).filter(Number.isFinite));
  return [10, 15, 20, 50, 100].find((each) => each >= furthest) ?? 100;
}

// ---- copies ----

// Returns a promise of an image of the drawing, at twice its size.
function imageOf(element, scale) {
  const {width, height} = element.getBoundingClientRect();
  const copy = element.cloneNode(true);
  copy.setAttribute("xmlns", scalable);
  copy.setAttribute("width", width * scale);
  copy.setAttribute("height", height * scale);
  const image = new Image();
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(new XMLSerializer().serializeToString(copy))}`;
  return image.decode().then(() => image);
}

// Returns a canvas with the chart, its title above and the machine and the date beneath.
async function pictureOf(entry, title, source) {
  const scale = 2, edge = 16, shown = entry.place.firstElementChild;
  const {width, height} = shown.getBoundingClientRect();
  const image = shown instanceof SVGElement ? await imageOf(shown, scale) : shown;
  const canvas = el("canvas", {width: (width + 2 * edge) * scale, height: (height + 2 * edge + 56) * scale});
  const to = canvas.getContext("2d");
  to.scale(scale, scale);
  to.fillStyle = css("--panel");
  to.fillRect(0, 0, canvas.width, canvas.height);
  to.textBaseline = "middle";
  const write = (text, y, size, weight, colour) => {
    to.font = `${weight} ${size}px ${css("--sans")}`;
    to.fillStyle = css(colour);
    to.fillText(text, edge, y, width);
  };
  write(label(title, 200), edge + 10, 15, 600, "--ink");
  to.drawImage(image, edge, edge + 28, width, height);
  write(label(source, 300), height + edge + 46, 11, 400, "--muted");
  return canvas;
}

// Copies a chart as a PNG. A browser without access to the clipboard saves it as a file instead.
async function copyChart(entry, title, button) {
  const canvas = await pictureOf(entry, title, document.getElementById("about").textContent);
  const blob = await new Promise((resolve) => canvas.toBlob(resolve, "image/png"));
  let said = "Copied";
  try {
    await navigator.clipboard.write([new ClipboardItem({"image/png": blob})]);
  } catch {
    const link = el("a", {href: URL.createObjectURL(blob), download: "loopbench-chart.png"});
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10000);
    said = "Saved";
  }
  button.textContent = said;
  setTimeout(() => { button.textContent = "Copy chart"; }, 2000);
}
