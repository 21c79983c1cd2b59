// The curves: a set has the curves of all contenders against one parameter in the names of workloads.
// reports/model/scaling.hpp explains the fields.

function ratioToOneThread(fields) {
  return fields && {median: fields[0], low: fields[1], high: fields[2], verdict: data.texts[fields[3]]};
}

function curveSetOf(set) {
  const values = set.values.map(([value, workload]) => ({value, workload: data.texts[workload]}));
  const pointOf = ([state, work, cpu], place) => ({
    ...values[place],
    state: data.texts[state],
    work: ratioToOneThread(work),
    cpu: ratioToOneThread(cpu),
  });
  const curves = set.curves.map(([contender, points]) => [data.texts[contender], points.map(pointOf)]);
  return {...set, values, curves: new Map(curves)};
}

const curveSets = data.scaling.map(curveSetOf);

// ---- quantities ----

// A quantity is {title, of, format, isShare}; of(contender, point) returns {median, low, high}, or null.

function metricQuantity(set, metric) {
  const of = (contender, {workload}) => {
    const result = find(workload, contender, metric);
    return result && result.median !== null ? result : null;
  };
  const unit = {
    metric,
    unit: [...set.curves.keys()].flatMap((name) => set.values.map((each) => of(name, each))).find(Boolean)?.unit,
  };
  return {title: titleOf(metric), of, format: (value) => humanOf(unit, value)};
}

function perSecond(result) {
  const inverse = (ns) => (ns > 0 ? 1e9 / ns : null);
  return {median: inverse(result.median), low: inverse(result.high), high: inverse(result.low)};
}

const workPerSecond = {
  title: "operations per second",
  of: (contender, {workload}) => {
    const time = find(workload, contender, "time");
    return time && time.median > 0 ? perSecond(time) : null;
  },
  format: (value) => human(value, "/s"),
};

const shareOfLinear = {
  title: "share of linear scaling",
  isShare: true,
  of: (_, {value, work}) => {
    if (value === 1) return {median: 1, low: null, high: null};
    const part = (ratio) => (ratio === null ? null : ratio / value);
    return work && {median: part(work.median), low: part(work.low), high: part(work.high)};
  },
  format: (value) => `${significant(100 * value)} %`,
};

// ---- charts ----

function measuredValues(set) {
  const isMeasured = (place) => [...set.curves.values()].some((points) => points[place].state === "measured");
  return set.values.filter((_, place) => isMeasured(place));
}

// Returns the lines of the chosen contenders. A value without a measured point has no y, which interrupts the line.
function linesOf(set, quantity) {
  const shown = measuredValues(set).map(({value}) => value);
  const pointOf = (contender, point) => {
    const found = point.state === "measured" ? quantity.of(contender, point) : null;
    return found && found.median > 0
      ? {x: point.value, y: found.median, xLow: null, xHigh: null, yLow: found.low, yHigh: found.high, point}
      : {x: point.value, y: null, point};
  };
  return shownContenders()
    .filter(({name}) => set.curves.has(name))
    .map((contender) => ({
      contender,
      points: set.curves
        .get(contender.name)
        .filter(({value}) => shown.includes(value))
        .map((point) => pointOf(contender.name, point)),
    }))
    .filter(({points}) => points.some(({y}) => y !== null));
}

// Returns the lines that get a name: all lines that reach the right edge, or the most important of them.
function namedLines(lines) {
  const most = 16;
  const atEnd = lines
    .filter(({points}) => points.at(-1).y !== null)
    .sort((a, b) => a.points.at(-1).y - b.points.at(-1).y);
  if (atEnd.length <= most) return atEnd;
  return atEnd.filter(
    (each) =>
      each === atEnd[0] ||
      each === atEnd.at(-1) ||
      each.contender.name === baseline ||
      ["flagship", "floor"].includes(each.contender.family),
  );
}

const parameterWords = {
  threads: "threads",
  conns: "connections",
  bytes: "bytes per message",
  us: "µs of sleep",
  load: "% of the server's capacity",
  idle: "idle connections",
};

function axisOfValues(set) {
  const values = measuredValues(set).map(({value}) => value);
  return {
    ...logAxis(parameterWords[set.key] || set.key, String, values),
    min: values[0],
    max: values.at(-1),
    afterBuildTicks: (axis) => {
      axis.ticks = values.map((value) => ({value}));
    },
    ticks: {callback: (value) => value.toLocaleString("en-US"), maxRotation: 0, autoSkip: false},
  };
}

function axisOfQuantity(quantity, lines) {
  const values = lines.flatMap(({points}) => points.flatMap(({y, yLow, yHigh}) => [y, yLow, yHigh]));
  const positive = values.filter((value) => value > 0);
  if (!quantity.isShare) return logAxis(quantity.title, quantity.format, positive);
  const isWhole = ({tick}) => Math.abs(tick.value - 1) < 1e-9;
  const highest = Math.max(1.05, ...positive);
  return {
    ...linearAxis(quantity.title, quantity.format),
    max: highest,
    afterBuildTicks: (axis) => {
      axis.ticks = roundSteps(highest, 5).map((value) => ({value}));
    },
    grid: {color: (at) => css(isWhole(at) ? "--muted" : "--line"), drawTicks: false},
  };
}

function atValue(set, value) {
  return set.key === "threads" ? `with ${countText(value, "thread")}` : `at ${value.toLocaleString("en-US")}`;
}

function curveConfig(set, quantity) {
  const lines = linesOf(set, quantity);
  const named = namedLines(lines);
  return {
    type: "line",
    data: {
      datasets: lines.map((each) => ({
        ...lineStyle(each.contender),
        data: each.points,
        clip: 6,
        unlabelled: !named.includes(each),
      })),
    },
    options: {
      parsing: false,
      layout: {padding: {right: labelsWidth, top: 6}},
      scales: {x: axisOfValues(set), y: axisOfQuantity(quantity, lines)},
      plugins: {
        tooltip: {
          callbacks: {
            title: () => "",
            label: ({raw, dataset}) => `${label(dataset.label)}: ${quantity.format(raw.y)} ${atValue(set, raw.x)}`,
          },
        },
      },
    },
    plugins: [intervals, endLabels],
  };
}

// ---- tables ----

const stateWords = {missing: "–", not_run: "not run"};

function markOfRatio({verdict}) {
  return !isDecided({verdict}) || data.trust.word === "unreliable" ? " ?" : "";
}

// Returns the work per second, and its share of linear scaling.
function speedCell(contender, point) {
  const result = find(point.workload, contender, "time");
  const button = el(
    "button",
    {type: "button", class: "value", onclick: () => openTrials(result)},
    workPerSecond.format(workPerSecond.of(contender, point).median),
  );
  if (!point.work) return button;
  const share = shareOfLinear.of(contender, point);
  const range = interval(share, shareOfLinear.format);
  return el(
    "span",
    {},
    button,
    `, ${shareOfLinear.format(share.median)}${range && ` (${range})`}${markOfRatio(point.work)}`,
  );
}

// Returns the CPU time per operation, and its ratio to one thread.
function cpuCell(contender, point) {
  const button = trialsButton(find(point.workload, contender, "cpu"));
  return point.cpu ? el("span", {}, button, `, ${quotient(point.cpu.median)}×${markOfRatio(point.cpu)}`) : button;
}

function curveTable(set, title, cell) {
  const isKnown = ({state}) => !["missing", "unsupported"].includes(state);
  const places = set.values.map((_, place) => place);
  const shown = places.filter((place) => [...set.curves.values()].some((points) => isKnown(points[place])));
  const rows = shownContenders()
    .filter(({name}) => set.curves.has(name))
    .map(({name}) => [
      nameOf(name),
      ...shown.map((place) => {
        const point = set.curves.get(name)[place];
        return point.state === "measured" ? cell(name, point) : stateWords[point.state] || point.state;
      }),
    ]);
  return plainTable(
    ["contender", ...shown.map((place) => set.values[place].value.toLocaleString("en-US"))],
    rows,
    `${title} on ${set.title}`,
  );
}

// ---- sections ----

function addCostFigure(place, set, note) {
  const quantity = metricQuantity(set, set.metric);
  const cell = (contender, {workload}) => trialsButton(find(workload, contender, set.metric));
  figure(place, {
    title: set.title,
    note: [data.metrics[set.metric]?.summary || set.metric, note].filter(Boolean).join(". "),
    unit: () => quantity.title,
    height: 300,
    config: () => curveConfig(set, quantity),
    table: () => curveTable(set, quantity.title, cell),
  });
}

function addCpuFigure(place, set) {
  const quantity = metricQuantity(set, "cpu");
  if (set.metric === "cpu" || !linesOf(set, quantity).length) return;
  figure(place, {
    title: `${set.name}: CPU time`,
    note: data.metrics.cpu.summary,
    unit: () => quantity.title,
    height: 300,
    config: () => curveConfig(set, quantity),
    table: () => curveTable(set, quantity.title, cpuCell),
  });
}

function addThreads() {
  const section = document.getElementById("threads");
  const sets = curveSets.filter(({key}) => key === "threads");
  if (!sets.length) return section.remove();
  const quantities = new Map([
    ["work", workPerSecond],
    ["share", shareOfLinear],
  ]);
  const usual = "work";
  let shown = quantities.get(fromAddress("threads", usual, [...quantities.keys()]));
  const figures = [];
  const place = el("div", {class: "small-multiples"});
  section.append(
    el(
      "p",
      {class: "note"},
      "With linear scaling, N threads do N times as much work as one. The share of linear scaling is the median of " +
        "the ratios within blocks, divided by N; 100 % is ideal. Vertical lines are intervals.",
    ),
    choiceRow(
      sets.some((set) => set.is_speed)
        ? keptSelect(
            "threads",
            "Show",
            [...quantities].map(([name, {title}]) => [name, title]),
            usual,
            (value) => {
              shown = quantities.get(value);
              for (const each of figures) each.redraw();
            },
          )
        : null,
    ),
    place,
  );
  for (const set of sets) {
    if (set.is_speed)
      figures.push(
        figure(place, {
          title: `${set.name}: work`,
          note: [set.sentence, set.missing].filter(Boolean).join(" "),
          unit: () => shown.title,
          height: 300,
          config: () => curveConfig(set, shown),
          table: () => curveTable(set, "operations per second, and the share of linear scaling", speedCell),
        }),
      );
    else addCostFigure(place, set, set.missing);
    addCpuFigure(place, set);
  }
}

function addScaling() {
  const sets = curveSets.filter(({key}) => key !== "threads");
  if (!sets.length) return document.getElementById("scaling").remove();
  const place = document.querySelector("#scaling .small-multiples");
  for (const set of sets) addCostFigure(place, set);
}
