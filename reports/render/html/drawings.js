// The drawings in SVG. Each drawing contains its colours, so that a copy of it needs no style sheet.

const scalable = "http://www.w3.org/2000/svg";

function svg(name, attributes = {}, ...children) {
  const element = document.createElementNS(scalable, name);
  for (const [key, value] of Object.entries(attributes)) {
    if (key.startsWith("on")) element.addEventListener(key.slice(2), value);
    else if (value !== null && value !== undefined)
      element.setAttribute(key, typeof value === "number" ? Number(value.toFixed(2)) : value);
  }
  element.append(
    ...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false),
  );
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

function remark(text, x, y, anchor) {
  return words(text, x, y, {"text-anchor": anchor, "font-size": 11, fill: css("--muted")});
}

function fitted(name, width, size = 12) {
  let text = label(name, 200);
  while (text.length > 3 && widthOf(text, size) > width) text = `${text.slice(0, -2)}…`;
  return text;
}

// ---- the families' patterns ----

// Each drawing has patterns with ids of its own, because it could not use a pattern in a hidden drawing.
let patterns = 0;

function patternOf(family) {
  const colour = css(`--${family}`),
    id = `pattern-${++patterns}`;
  if (family === "flagship") return [null, colour];
  if (family === "floor") return [null, css("--panel")];
  const lines = {design: "M0 0V6", asio: "M0 3H6", other: "M0 3H6M3 0V6"}[family];
  const angle = {design: 45, asio: 90, other: 45}[family];
  return [
    svg(
      "pattern",
      {id, width: 6, height: 6, patternUnits: "userSpaceOnUse", patternTransform: `rotate(${angle})`},
      svg("rect", {width: 6, height: 6, fill: colour, opacity: 0.3}),
      svg("path", {d: lines, stroke: colour, "stroke-width": family === "other" ? 1.4 : 3}),
    ),
    `url(#${id})`,
  ];
}

function familyFills() {
  const made = new Map(families.map(({id}) => [id, patternOf(id)]));
  return {
    definitions: svg(
      "defs",
      {},
      [...made.values()].map(([definition]) => definition),
    ),
    of: (family) => made.get(family)[1],
  };
}

function swatch(family, isMarkerAlone = false) {
  const place = el("i", {class: "swatch", "aria-hidden": "true"});
  Object.assign(place, {family, isMarkerAlone});
  return place;
}

function drawSwatches() {
  for (const place of document.querySelectorAll(".swatch")) {
    const {family} = place,
      [definition, fill] = patternOf(family),
      colour = css(`--${family}`);
    if (place.isMarkerAlone) place.replaceChildren(svg("svg", {width: 12, height: 12}, shapeOf(family, 6, 6, 4.5)));
    else
      place.replaceChildren(
        svg(
          "svg",
          {width: 34, height: 12, viewBox: "0 0 34 12"},
          svg("defs", {}, definition),
          svg("rect", {x: 0.5, y: 0.5, width: 16, height: 11, fill, stroke: colour}),
          shapeOf(family, 27, 6, 4.5),
        ),
      );
  }
}

function shapeOf(family, x, y, size) {
  const colour = css(`--${family}`), near = size * 0.8;
  const path = {
    triangle: `M${x} ${y - size}l${size} ${size + near}h${-2 * size}Z`,
    rect: `M${x - near} ${y - near}h${2 * near}v${2 * near}h${-2 * near}Z`,
    rectRot: `M${x} ${y - size}l${size} ${size}l${-size} ${size}l${-size} ${-size}Z`,
    crossRot: `M${x - near} ${y - near}l${2 * near} ${2 * near}m0 ${-2 * near}l${-2 * near} ${2 * near}`,
  }[markers[family]];
  return path
    ? svg("path", {d: path, fill: colour, stroke: colour, "stroke-width": 1.5})
    : svg("circle", {cx: x, cy: y, r: size * 0.9, fill: colour, stroke: colour});
}

// ---- intervals and rows ----

function whisker(low, high, y, size = 4) {
  const path = `M${low} ${y}H${high}M${low} ${y - size}V${y + size}M${high} ${y - size}V${y + size}`;
  return [
    ["--panel", 3.5],
    ["--ink", 1.25],
  ].map(([colour, width]) => svg("path", {d: path, stroke: css(colour), "stroke-width": width, fill: "none"}));
}

function opening(result, text) {
  const open = () => openTrials(result);
  return {
    tabindex: 0,
    role: "button",
    "aria-label": text,
    class: "row",
    onclick: open,
    onkeydown: (event) => {
      if (event.key !== "Enter" && event.key !== " ") return;
      event.preventDefault();
      open();
    },
  };
}

function drawing(width, height, text, ...children) {
  return svg(
    "svg",
    {width, height, viewBox: `0 0 ${width} ${height}`, role: "group", "aria-label": text, "font-family": css("--sans")},
    children,
  );
}

function roundSteps(end, wanted) {
  const raw = end / wanted,
    power = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 2.5, 5, 10].find((each) => each * power >= raw * 0.999) * power;
  return Array.from({length: Math.floor(end / step + 1e-9) + 1}, (_, i) => i * step);
}

// Returns round values from `low` to `high` in equal steps.
function stepsBetween(low, high, wanted) {
  const step = roundSteps(high - low, wanted)[1];
  const first = Math.ceil(low / step - 1e-9), last = Math.floor(high / step + 1e-9);
  return Array.from({length: last - first + 1}, (_, i) => (first + i) * step);
}

// ---- bars ----

const barStep = 21;

// Draws the bars `rows` and the lines `lines`. A row is {contender, result, value, low, high, text}, a line is {value,
// text, dash}. A bar longer than `end` is cut off, and a gap in the bar shows this.
function drawBars(width, {title, rows, lines, end, format}) {
  const names = Math.min(Math.max(...rows.map(({contender}) => widthOf(label(contender.name)))) + 8, width * 0.36);
  const numbers = Math.max(...rows.map(({text}) => widthOf(text, 12, 600))) + 6;
  const top = lines.some(({text}) => text) ? 18 : 4;
  const at = {left: names, right: width - numbers - 6, top, bottom: top + rows.length * barStep, width, end};
  at.x = (value) => at.left + ((at.right - at.left) * Math.min(Math.max(value, 0), end)) / end;
  const fills = familyFills();
  const ticks = roundSteps(end, Math.max(Math.min((at.right - at.left) / 60, 6), 2)).map((value) => [
    svg("line", {x1: at.x(value), x2: at.x(value), y1: top, y2: at.bottom + 4, stroke: css("--line")}),
    remark(short(format(value)), at.x(value), at.bottom + 14, "middle"),
  ]);
  const bars = rows.map((row, place) => drawBar(row, top + (place + 0.5) * barStep, at, fills));
  return drawing(width, at.bottom + 24, title, fills.definitions, ticks, bars, lines.map((line) => rule(line, at)));
}

function drawBar({contender, result, value, low, high, text}, y, {left, right, width, end, x}, fills) {
  const length = Math.max(x(value) - left, 1);
  const gap = () => svg("path", {d: `M${right - 14} ${y + 9}l5 -18`, stroke: css("--panel"), "stroke-width": 4});
  const hasInterval = low !== null && high !== null, fill = fills.of(contender.family);
  return svg(
    "g",
    opening(result, `${contender.name}: ${text}`),
    svg("title", {}, `${contender.name}: ${text}`),
    svg("rect", {x: 0, y: y - barStep / 2, width, height: barStep, fill: "transparent", class: "hit"}),
    words(fitted(contender.name, left - 8), left - 6, y, {"text-anchor": "end"}),
    svg("rect", {x: left, y: y - 7, width: length, height: 14, fill, stroke: colourOf(contender)}),
    value > end ? gap() : hasInterval && whisker(x(low), x(high), y),
    words(text, width, y, {"text-anchor": "end", "font-weight": 600}),
  );
}

function rule({value, text, dash}, {x, top, bottom, right, width, end}) {
  if (value > end) return remark(`${text} ▶`, right, 7, "end");
  const half = text ? widthOf(text, 11) / 2 : 0;
  const path = `M${x(value)} ${top - 4}V${bottom + 2}`;
  return svg(
    "g",
    {"pointer-events": "none"},
    svg("path", {d: path, stroke: css("--ink"), "stroke-width": dash ? 1.5 : 1, "stroke-dasharray": dash}),
    text && remark(text, Math.min(Math.max(x(value), half), width - half), 7, "middle"),
  );
}

// ---- dots ----

// Returns the change in per cent, as the gates print it: 10 (better) for the ratio 1.1, and -10 (worse) for 1/1.1.
function changeOf(ratio) {
  return ratio >= 1 ? 100 * (ratio - 1) : -100 * (1 / ratio - 1);
}

const verdictColours = {faster: "--better", slower: "--worse"};

function markOfVerdict(verdict, x, y) {
  const colour = verdictColours[verdict] ? `rgb(${css(verdictColours[verdict])})` : css("--muted");
  const path = {
    faster: `M${x} ${y - 6}L${x + 6} ${y + 5}H${x - 6}Z`,
    slower: `M${x} ${y + 6}L${x + 6} ${y - 5}H${x - 6}Z`,
  }[verdict];
  if (path) return svg("path", {d: path, fill: colour, stroke: css("--panel")});
  return svg("circle", {
    cx: x,
    cy: y,
    r: 4.5,
    fill: verdict === "equivalent" ? colour : css("--panel"),
    stroke: colour,
    "stroke-width": 1.75,
  });
}

const narrow = 560; // below this width, rows have two lines

// Draws a dot for each row. A row is {name, detail, result, ratio, verdict, text}. The axis goes from -reach to +reach
// per cent; a dot beyond the axis becomes an arrow.
function drawDots(width, {title, rows, reach, ends}) {
  const at = placesOfDots(width, rows, reach);
  const {x, top, bottom} = at;
  const ticks = [-reach, -reach / 2, 0, reach / 2, reach].map((value) => [
    svg("line", {x1: x(value), x2: x(value), y1: at.isNarrow ? bottom - 4 : top, y2: bottom, stroke: css("--line")}),
    remark(`${value > 0 ? "+" : ""}${short(significant(value))} %`, x(value), bottom + 12,
      {[-reach]: "start", [reach]: "end"}[value] || "middle"),
  ]);
  return drawing(
    width,
    bottom + 24,
    title,
    remark(`◀ ${ends[0]}`, x(-reach), 9, "start"),
    remark(`${ends[1]} ▶`, x(reach), 9, "end"),
    ticks,
    rows.map((row, place) => drawDot(row, place, at)),
  );
}

function placesOfDots(width, rows, reach) {
  const isNarrow = width < narrow;
  const widthOfName = ({name, detail}) => widthOf(label(name, 200)) + (detail ? widthOf(detail, 11) + 10 : 0);
  const names = isNarrow ? 6 : Math.min(Math.max(...rows.map(widthOfName)) + 14, width * 0.42);
  const numbers = isNarrow ? 6 : Math.max(...rows.map(({text}) => widthOf(text))) + 14;
  // In a narrow drawing, the numbers are after the names if every row has room for this, and otherwise below the dots.
  const isBelow = isNarrow && rows.some((row) => widthOfName(row) + widthOf(row.text) + 24 > width);
  const step = isBelow ? 58 : isNarrow ? 40 : 24;
  const left = names + 8, right = width - numbers - 8, top = 22;
  const x = (change) => left + ((right - left) * (Math.min(Math.max(change, -reach), reach) + reach)) / (2 * reach);
  const roomForName = (text) => (isBelow ? width - 8 : isNarrow ? width - widthOf(text) - 16 : names - 14);
  return {isNarrow, isBelow, step, top, bottom: top + rows.length * step, x, width, reach, roomForName};
}

function drawDot({name, detail, result, ratio, verdict, text}, place, at) {
  const {isNarrow, isBelow, step, top, x, width, reach, roomForName} = at;
  const start = top + place * step, y = start + (isNarrow ? 27 : step / 2), line = isNarrow ? start + 10 : y;
  const shown = fitted(name, roomForName(text) - (detail ? widthOf(detail, 11) + 8 : 0));
  const zero = `M${x(0)} ${isNarrow ? y - 9 : start}V${isNarrow ? y + 9 : start + step}`;
  return svg(
    "g",
    opening(result, `${name}${detail ? `, ${detail}` : ""}: ${text}`),
    svg("title", {}, `${name}: ${text}`),
    svg("rect", {x: 0, y: start, width, height: step, fill: place % 2 ? "transparent" : css("--page"), class: "hit"}),
    words(shown, 4, line),
    detail && remark(detail, 12 + widthOf(shown), line, "start"),
    svg("path", {d: zero, stroke: css("--muted")}),
    ratio && ratio.low !== null && ratio.high !== null && whisker(x(changeOf(ratio.low)), x(changeOf(ratio.high)), y),
    ratio && dotOf(changeOf(ratio.median), verdict, x, y, reach),
    words(text, width - 4, isBelow ? start + 46 : line, {"text-anchor": "end"}),
  );
}

function dotOf(change, verdict, x, y, reach) {
  if (Math.abs(change) <= reach) return markOfVerdict(verdict, x(change), y);
  const fill = verdictColours[verdict] ? `rgb(${css(verdictColours[verdict])})` : css("--muted");
  return words(change > 0 ? "▶" : "◀", x(change), y, {"text-anchor": "middle", fill});
}

function reachOf(ratios) {
  const furthest = Math.max(
    10,
    ...ratios
      .flatMap(({median, low, high}) => [median, low ?? median, high ?? median])
      .map((each) => Math.abs(changeOf(each)))
      .filter(Number.isFinite),
  );
  return [10, 15, 20, 50, 100].find((each) => each >= furthest) ?? 100;
}

// ---- copies ----

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

function brokenAtDots(text, width, size) {
  const lines = [];
  for (const part of text.split(" · ")) {
    const longer = lines.length ? `${lines.at(-1)} · ${part}` : part;
    if (lines.length && widthOf(longer, size) <= width) lines[lines.length - 1] = longer;
    else lines.push(part);
  }
  return lines;
}

async function pictureOf(entry, title, source) {
  const scale = 2, edge = 16, shown = entry.place.firstElementChild;
  const {width, height} = shown.getBoundingClientRect();
  const image = shown instanceof SVGElement ? await imageOf(shown, scale) : shown;
  const lines = [
    {text: label(title, 200), y: 10, size: 15, weight: 600, colour: "--ink"},
    ...(entry.unit ? [{text: entry.unit(), y: 28, size: 11, weight: 400, colour: "--muted"}] : []),
    ...brokenAtDots(label(source, 300), width, 11).map((text, place) =>
      ({text, y: height + 56 + place * 16, size: 11, weight: 400, colour: "--muted"})),
  ];
  const canvas = el("canvas", {width: (width + 2 * edge) * scale, height: (lines.at(-1).y + 8 + 2 * edge) * scale});
  const to = canvas.getContext("2d");
  to.scale(scale, scale);
  to.fillStyle = css("--panel");
  to.fillRect(0, 0, canvas.width, canvas.height);
  to.textBaseline = "middle";
  for (const {text, y, size, weight, colour} of lines) {
    to.font = `${weight} ${size}px ${css("--sans")}`;
    to.fillStyle = css(colour);
    to.fillText(text, edge, edge + y, width);
  }
  to.drawImage(image, edge, edge + 40, width, height);
  return canvas;
}

// Copies the chart as a PNG. A browser without access to the clipboard saves the PNG as a file instead.
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
  setTimeout(() => {
    button.textContent = "Copy chart";
  }, 2000);
}
