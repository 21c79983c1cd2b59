// All charts of the page. A chart has `place`, table() and `details`. A chart that Chart.js draws also has `canvas` and
// config(), and an SVG drawing has paint(width).
const charts = [];

function css(name) {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}

function colourOf(contender) {
  return css(`--${contender.family}`);
}

function label(name, longest = 24) {
  const plain = name.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, "\ufffd");
  return plain.length > longest ? plain.slice(0, longest - 1) + "…" : plain;
}

// Adds a figure. `unit` returns the line below the title of a copied chart. `config` or `paint` is called again after
// each change of the theme or of the chosen contenders.
function figure(parent, {title, note, unit, height = 320, config, paint, table}) {
  const about = `${title}. ${note || ""} The table below contains the numbers.`;
  const canvas = config && el("canvas", {role: "img", "aria-label": about});
  const place = config ? el("div", {class: "canvas", style: `height:${height}px`}, canvas) : el("div", {class: "drawing"});
  const details = el("details", {}, el("summary", {}, "Numbers"));
  details.addEventListener("toggle", () => {
    if (details.open) details.replaceChildren(details.firstChild, table());
  });
  const heading = el("h3", {}, title);
  const lead = el("p", {class: "note"}, note || "");
  const entry = {place, canvas, config, paint, chart: null, details, table, unit};
  const copy = el("button", {type: "button", class: "copy", onclick: () => copyChart(entry, heading.textContent, copy)}, "Copy chart");
  const element = el("figure", {}, el("figcaption", {}, heading, lead), place, el("div", {class: "beneath"}, details, copy));
  parent.append(element);
  charts.push(entry);
  return {element, redraw: (words = {}) => {
    if (words.title) heading.textContent = words.title;
    if (words.note) lead.textContent = words.note;
    if (words.height) place.style.height = `${words.height}px`;
    draw(entry);
  }};
}

function draw(entry) {
  if (entry.details.open) entry.details.replaceChildren(entry.details.firstChild, entry.table());
  if (entry.paint) {
    entry.width = entry.place.clientWidth;
    entry.place.replaceChildren(entry.paint(Math.max(entry.width, 200)));
    return;
  }
  entry.chart?.destroy();
  const config = entry.config();
  entry.chart = new Chart(entry.canvas, {
    ...config,
    options: {
      animation: false, responsive: true, maintainAspectRatio: false, ...config.options,
      interaction: {mode: "nearest", intersect: true, ...config.options?.interaction},
      plugins: {legend: {display: false}, ...config.options?.plugins},
    },
  });
}

function followTheWidth() {
  addEventListener("resize", () => {
    for (const entry of charts) if (entry.paint && entry.width !== entry.place.clientWidth) draw(entry);
  });
}

function removeFigures() {
  for (const {chart} of charts.splice(0)) chart?.destroy();
}

let due = [];  // the charts that are drawn after the page is loaded, one by one

function drawNext() {
  const entry = due.shift();
  if (!entry) return;
  if (charts.includes(entry)) draw(entry);
  setTimeout(drawNext);
}

// Draws the SVG drawings and the charts on the screen now, and the other charts later, one by one. If the page is being
// printed, draws all charts now.
function drawAll(isPrinting = false) {
  Chart.defaults.color = css("--muted");
  Chart.defaults.borderColor = css("--line");
  Chart.defaults.font.family = css("--sans");
  Chart.defaults.font.size = 12;
  drawSwatches();
  const isNow = (entry) => isPrinting || entry.paint || entry.place.getBoundingClientRect().top < innerHeight;
  const isIdle = !due.length;
  due = charts.filter((entry) => !isNow(entry));
  for (const entry of charts) if (!due.includes(entry)) draw(entry);
  if (isIdle) setTimeout(drawNext);
}

const tickSteps = new Set([1, 2, 5]);

function logAxis(title, format, values) {
  const positive = values.filter((value) => value > 0);
  const lowest = Math.min(...positive), highest = Math.max(...positive);
  const room = Math.max(1.08, (highest / lowest) ** 0.04);
  const min = lowest / room, max = highest * room;
  const axis = {
    type: "logarithmic", min, max, title: {display: true, text: [title, "logarithmic"].filter(Boolean).join(", ")},
    grid: {color: css("--line"), drawTicks: false},
  };
  // A short range might contain neither a power of ten nor a small multiple of one.
  if (max / min < 3) return {
    ...axis,
    afterBuildTicks: (built) => {
      built.ticks = stepsBetween(min, max, 5).map((value) => ({value}));
    },
    ticks: {maxRotation: 0, autoSkip: false, callback: (value) => short(format(value))},
  };
  return {
    ...axis,
    ticks: {
      maxRotation: 0, autoSkipPadding: 14,
      callback(value) {
        const decades = Math.log10(this.max / this.min);
        const power = 10 ** Math.floor(Math.log10(value) + 1e-9);
        const digit = Math.round(value / power);
        const isShown = decades > 2 ? digit === 1 : decades > 0.7 ? tickSteps.has(digit) : true;
        return isShown && Math.abs(value / power - digit) < 1e-6 ? short(format(value)) : null;
      },
    },
  };
}

function linearAxis(title, format) {
  return {
    type: "linear", beginAtZero: true, title: {display: true, text: title}, grid: {color: css("--line"), drawTicks: false},
    ticks: {callback: (value) => short(format(value)), maxTicksLimit: 6, maxRotation: 0},
  };
}

// ---- labels next to points, lines and bars ----

function overlaps(a, b) {
  return a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
}

const places = [9, 18, 30, 44, 60, 80, 104].flatMap((distance) =>
  [0, 180, 330, 30, 210, 150, 300, 60, 240, 120, 270, 90].map((degrees) =>
    [distance * Math.cos(degrees * Math.PI / 180), distance * Math.sin(degrees * Math.PI / 180), distance]));

function boxAt({x, y}, [dx, dy], width, height) {
  const left = dx >= 0 ? x + dx : x + dx - width;
  return {left, right: left + width, top: y + dy - height / 2, bottom: y + dy + height / 2};
}

const pointLabels = {
  id: "pointLabels",
  afterDatasetsDraw(chart) {
    const {ctx, chartArea: area} = chart;
    const points = chart.data.datasets.map((set, i) => ({set, at: chart.getDatasetMeta(i).data[0]}))
      .filter(({at}) => at);
    const taken = points.map(({at}) => ({left: at.x - 6, right: at.x + 6, top: at.y - 6, bottom: at.y + 6}));
    ctx.save();
    ctx.font = `11px ${css("--sans")}`;
    ctx.textBaseline = "middle";
    for (const {set, at} of points.sort((a, b) => b.at.x - a.at.x)) {
      const text = label(set.label);
      const width = ctx.measureText(text).width + 2;
      const free = places.find((place) => {
        const box = boxAt(at, place, width, 13);
        return box.left >= area.left && box.right <= chart.width && box.top >= area.top - 8 &&
          box.bottom <= area.bottom && !taken.some((other) => overlaps(box, other));
      });
      if (!free) continue;
      const box = boxAt(at, free, width, 13);
      taken.push(box);
      // A name that is next to another point would seem to belong to that point, so a line connects the name with its
      // own point.
      const near = {left: box.left - 8, right: box.right + 8, top: box.top - 4, bottom: box.bottom + 4};
      const isNearOther = points.some((other) => other.at !== at && overlaps(near,
        {left: other.at.x - 5, right: other.at.x + 5, top: other.at.y - 5, bottom: other.at.y + 5}));
      if (free[2] > 20 || isNearOther) {
        ctx.strokeStyle = css("--muted");
        ctx.lineWidth = 0.5;
        ctx.beginPath();
        ctx.moveTo(at.x, at.y);
        ctx.lineTo(free[0] >= 0 ? box.left : box.right, (box.top + box.bottom) / 2);
        ctx.stroke();
      }
      ctx.fillStyle = set.borderColor;
      ctx.fillText(text, box.left + 1, (box.top + box.bottom) / 2);
    }
    ctx.restore();
  },
};

const intervals = {
  id: "intervals",
  beforeDatasetsDraw(chart) {
    const {ctx, scales: {x, y}, chartArea: {left, top, width, height}} = chart;
    ctx.save();
    ctx.beginPath();
    ctx.rect(left, top, width, height);
    ctx.clip();
    ctx.lineWidth = 1.25;
    ctx.globalAlpha = 0.5;
    chart.data.datasets.forEach((set, i) => {
      ctx.strokeStyle = set.borderColor;
      ctx.beginPath();
      set.data.forEach((point, place) => {
        const at = chart.getDatasetMeta(i).data[place];
        if (!at || at.skip) return;
        if (point.xLow > 0) {
          ctx.moveTo(x.getPixelForValue(point.xLow), at.y);
          ctx.lineTo(x.getPixelForValue(point.xHigh), at.y);
        }
        if (point.yLow > 0) {
          ctx.moveTo(at.x, y.getPixelForValue(point.yLow));
          ctx.lineTo(at.x, y.getPixelForValue(point.yHigh));
        }
      });
      ctx.stroke();
    });
    ctx.restore();
  },
};

// A Chart.js plugin for line charts: writes the name of each line to the right of its end, without overlaps. Data sets
// with the property `unlabelled` get no name.
const endLabels = {
  id: "endLabels",
  afterDatasetsDraw(chart) {
    const {ctx, chartArea: area} = chart;
    const ends = chart.data.datasets
      .map((set, i) => ({set, at: chart.getDatasetMeta(i).data.filter((point) => !point.skip).at(-1)}))
      .filter(({set, at}) => at && !set.unlabelled).sort((a, b) => a.at.y - b.at.y);
    const step = Math.min(13, (area.bottom - area.top + 16) / Math.max(ends.length, 1));
    const wanted = ends.map(({at}) => at.y);
    for (let i = 1; i < wanted.length; ++i) wanted[i] = Math.max(wanted[i], wanted[i - 1] + step);
    for (let i = wanted.length - 1, limit = area.bottom; i >= 0; limit = wanted[i] - step, --i)
      wanted[i] = Math.min(wanted[i], limit);
    ctx.save();
    ctx.font = `11px ${css("--sans")}`;
    ctx.textBaseline = "middle";
    ends.forEach(({set, at}, i) => {
      ctx.strokeStyle = ctx.fillStyle = set.borderColor;
      ctx.lineWidth = at.x < area.right - 2 ? 0.25 : 0.5;
      ctx.beginPath();
      ctx.moveTo(at.x + 3, at.y);
      ctx.lineTo(area.right + 8, wanted[i]);
      ctx.stroke();
      ctx.fillText(label(set.label), area.right + 11, wanted[i], chart.width - area.right - 12);
    });
    ctx.restore();
  },
};

const labelsWidth = 118;

function lineStyle(contender) {
  const colour = colourOf(contender);
  const isFloor = contender.family === "floor";
  return {
    label: contender.name, borderColor: colour, backgroundColor: colour, pointStyle: contender.marker,
    borderDash: contender.dash, borderWidth: isFloor ? 1.25 : 1.75, pointRadius: 2.5, pointHitRadius: 6, tension: 0,
  };
}

// Returns the chosen contenders that have a value, in ascending order of the value.
function byValue(workload, metric) {
  return shownContenders().filter(({name}) => valueOf(workload, name, metric) !== null)
    .sort((a, b) => valueOf(workload, a.name, metric) - valueOf(workload, b.name, metric));
}

// ---- light and dark ----

function setTheme(theme, isPrinting = false) {
  document.documentElement.dataset.theme = theme;
  const button = document.getElementById("theme");
  button.textContent = theme === "dark" ? "Light" : "Dark";
  drawAll(isPrinting);
}

function addTheme() {
  const system = matchMedia("(prefers-color-scheme: dark)");
  let chosen = null;
  const current = () => chosen || (system.matches ? "dark" : "light");
  system.addEventListener("change", () => setTheme(current()));
  document.getElementById("theme").addEventListener("click", () => {
    chosen = current() === "dark" ? "light" : "dark";
    setTheme(chosen);
  });
  // Redraws the charts for paper or for the screen, because paper is white and its width does not depend on the window.
  const setPrinting = (isPrinting) => {
    document.body.classList.toggle("printing", isPrinting);
    for (const each of document.querySelectorAll("details.printed")) {
      if (isPrinting) each.wasOpen = each.open;
      each.open = isPrinting || each.wasOpen;
    }
    setTheme(isPrinting ? "light" : current(), isPrinting);
  };
  addEventListener("beforeprint", () => setPrinting(true));
  addEventListener("afterprint", () => setPrinting(false));
  followTheWidth();
  setTheme(current());
}
