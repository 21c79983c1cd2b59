// Three cards below the bars: io_uring or epoll, timers, and CPU while idle.

function card(title, lead, ...content) {
  const element = el("section", {class: "card"}, el("h3", {}, title), el("p", {class: "note"}, lead), content);
  document.getElementById("cards").append(element);
  return element;
}

const mostCardRows = 10;

// Returns true if the contender burns a core on some workload on which it only waits.
function burnsACore(contender) {
  return workloads.some((workload) => /^(idle|sleep|timer)\//.test(workload) && (valueOf(workload, contender, "spin") ?? 0) > 0.5);
}

function seriesText(texts) {
  return texts.length < 3 ? texts.join(" and ") : `${texts.slice(0, -1).join(", ")} and ${texts.at(-1)}`;
}

// ---- io_uring or epoll ----

function driverResults(metric) {
  const all = results.filter((each) => each.toEpoll && each.metric === metric && isAboutSpeed(each.workload));
  const onSockets = all.filter(({workload}) => /^(echo|stream|serve)/.test(workload));
  const chosen = onSockets.length ? onSockets : all;
  const short = chosen.filter(({workload}) => firstWorkloads.includes(workload));
  return short.length ? short : chosen.slice(0, mostCardRows);
}

function driverSentence(all) {
  const of = (verdict) => all.filter(({toEpoll}) => toEpoll.verdict === verdict).length;
  const counts = [[of("faster"), "faster"], [of("slower"), "slower"], [of("equivalent"), "equivalent"], [of("inconclusive"), "undecided"]]
    .filter(([count]) => count).map(([count, word]) => `${word} on ${count}`);
  const pairs = [...new Set(all.map(({contender, toEpoll}) => `${label(contender)} against ${label(toEpoll.to)}`))];
  return `io_uring is ${seriesText(counts)} of ${countText(all.length, "workload")}: the fastest contender of each, ${seriesText(pairs)}.`;
}

function addDriverCard() {
  const metrics = ["time", "cpu"].filter((metric) => driverResults(metric).length);
  if (!metrics.length) return;
  let metric = fromAddress("drivers", metrics[0], metrics);
  const element = card("io_uring or epoll?", driverSentence(driverResults(metric)));
  const rows = () => driverResults(metric).map((result) => ({name: shortWorkload(result.workload), result, ratio: result.toEpoll,
    verdict: result.toEpoll.verdict, text: `${quotient(result.toEpoll.median)}×${result.toEpoll.verdict === "inconclusive" ? " ?" : ""}`}));
  const table = () => plainTable(["workload", "io_uring", "epoll", "ratio", "interval", "verdict"], driverResults(metric).map((result) =>
    [nameOf(result.workload), nameOf(result.contender), nameOf(result.toEpoll.to), quotient(result.toEpoll.median), interval(result.toEpoll, quotient),
      result.toEpoll.verdict]), `io_uring compared with epoll, ${titleOf(metric)}`);
  const shown = figure(element, {title: "io_uring compared with epoll", note: "", table, paint: (width) => drawDots(width,
    {title: "io_uring compared with epoll", rows: rows(), reach: reachOf(rows().map(({ratio}) => ratio)), ends: ["epoll", "io_uring better"]})});
  if (metrics.length > 1) shown.element.before(el("div", {class: "controls"}, keptSelect("drivers", "Compare", metrics.map((name) => [name, titleOf(name)]), metrics[0], (value) => {
    metric = value;
    element.querySelector(".note").textContent = driverSentence(driverResults(metric));
    shown.redraw();
  })));
}

// Returns the part of an echo workload's name that differs between the echo workloads.
function shortWorkload(name) {
  const conns = name.match(/^echo\/rtt\/tcp\/conns:(\d+)\/bytes:64$/);
  return conns ? countText(Number(conns[1]), "connection").replace(/\d+/, (digits) => Number(digits).toLocaleString("en-US")) : name;
}

// ---- timers ----

function timerWorkloads() {
  return byCoverage(withData("late_p50").filter((name) => withData("cpu").includes(name)), "late_p50")
    .sort((a, b) => (b === "sleep/serial") - (a === "sleep/serial"));
}

function addTimerCard() {
  const known = timerWorkloads();
  if (!known.length) return;
  const workload = known[0];
  const all = contenders.filter(({family}) => family !== "floor").map((contender) => ({contender,
    late: find(workload, contender.name, "late_p50"), cpu: find(workload, contender.name, "cpu")}))
    .filter(({late}) => late && late.median !== null).sort((a, b) => Math.abs(a.late.median) - Math.abs(b.late.median));
  if (!all.length) return;
  const burning = all.filter(({contender}) => burnsACore(contender.name));
  const sleeping = all.filter((each) => !burning.includes(each));
  const range = sleeping.length ? `Loops that sleep are ${humanOf(sleeping[0].late)} to ${humanOf(sleeping.at(-1).late)} late on ${workload} (medians). ` : "";
  const spins = burning.length ? `${seriesText(burning.map(({contender}) => label(contender.name)))} never sleeps and burns a core.` : "";
  card("Timers", range + spins.replace(burning.length > 1 ? "sleeps and burns" : "\0", "sleep and burn"), plainTable(["contender", "late", "CPU per operation"],
    all.slice(0, mostCardRows).map(({contender, late, cpu}) => [contenderName(contender), trialsButton(late), trialsButton(cpu)]),
    `Timers: lateness and CPU on ${workload}`, "compact"), all.length > mostCardRows ? el("p", {class: "note"},
    `And ${all.length - mostCardRows} more: the chart below shows all.`) : "");
}

function contenderName(contender) {
  return el("span", {}, swatch(contender.family, true), nameOf(contender.name));
}

// ---- idle ----

function addIdleCard() {
  const known = workloads.filter((name) => name.startsWith("idle/") && withData("spin").includes(name));
  if (!known.length) return;
  let workload = fromAddress("idle", known[0], known);
  const all = () => contenders.filter(({family}) => family !== "floor").map((contender) => ({contender, spin: find(workload, contender.name, "spin"),
    wakeups: find(workload, contender.name, "wakeups")})).filter(({spin}) => spin && spin.median !== null).sort((a, b) => b.spin.median - a.spin.median);
  const lead = () => {
    const burning = all().filter(({spin}) => spin.median > 0.5), others = all().filter(({spin}) => spin.median <= 0.5);
    return [burning.length ? `${seriesText(burning.map(({contender, spin}) => `${label(contender.name)} uses ${humanOf(spin)}`))} of a core while nothing happens.` : "",
      others.length ? `${burning.length ? "All others use" : "Every loop uses"} at most ${humanOf(others[0].spin)}.` : ""].filter(Boolean).join(" ");
  };
  const table = () => plainTable(["contender", "share of a core"], all().slice(0, mostCardRows).map(({contender, spin}) => [contenderName(contender),
    el("span", {class: "share"}, el("i", {class: contender.family, style: `width:${Math.min(100, Math.max(spin.median * 100, 0.5))}%`}), trialsButton(spin))]),
  `CPU on ${workload}`, "compact");
  const place = el("div", {}, table());
  const element = card("CPU while idle", lead(), place);
  if (known.length > 1) place.before(el("div", {class: "controls"}, keptSelect("idle", "On", known.map((name) => [name, name]), known[0], (value) => {
    workload = value;
    element.querySelector(".note").textContent = lead();
    place.replaceChildren(table());
    drawSwatches();
  })));
}

function addCards() {
  if (!isComparison) {
    addDriverCard();
    addTimerCard();
    addIdleCard();
  }
  if (!document.getElementById("cards").children.length) document.getElementById("cards").remove();
}
