function card(title, lead, ...content) {
  const element = el("section", {class: "card"}, el("h3", {}, title), el("p", {class: "note"}, lead), content);
  document.getElementById("cards").append(element);
  return element;
}

const mostCardRows = 10;

function burnsACore(contender) {
  return workloads.some(
    (workload) => /^(idle|sleep|timer)\//.test(workload) && (valueOf(workload, contender, "spin") ?? 0) > 0.5,
  );
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
  const counts = [
    [of("faster"), "faster"],
    [of("slower"), "slower"],
    [of("equivalent"), "equivalent"],
    [of("inconclusive"), "undecided"],
  ]
    .filter(([count]) => count)
    .map(([count, word]) => `${word} on ${count}`);
  const pairs = [...new Set(all.map(({contender, toEpoll}) => `${label(contender)} against ${label(toEpoll.to)}`))];
  const total = countText(all.length, "workload");
  return `io_uring is ${seriesText(counts)} of ${total}: the fastest contender of each, ${seriesText(pairs)}.`;
}

function driverRows(metric) {
  return driverResults(metric).map((result) => ({
    name: shortWorkload(result.workload),
    result,
    ratio: result.toEpoll,
    verdict: result.toEpoll.verdict,
    text: `${quotient(result.toEpoll.median)}×${isDecided(result.toEpoll) ? "" : " ?"}`,
  }));
}

function driverTable(metric) {
  const row = ({workload, contender, toEpoll}) => [
    nameOf(workload),
    nameOf(contender),
    nameOf(toEpoll.to),
    quotient(toEpoll.median),
    interval(toEpoll, quotient),
    toEpoll.verdict,
  ];
  return plainTable(
    ["workload", "io_uring", "epoll", "ratio", "interval", "verdict"],
    driverResults(metric).map(row),
    `io_uring compared with epoll, ${titleOf(metric)}`,
  );
}

function paintDrivers(width, metric) {
  const rows = driverRows(metric);
  return drawDots(width, {
    title: "io_uring compared with epoll",
    rows,
    reach: reachOf(rows.map(({ratio}) => ratio)),
    ends: ["epoll", "io_uring better"],
  });
}

function addDriverCard() {
  const metrics = ["time", "cpu"].filter((metric) => driverResults(metric).length);
  if (!metrics.length) return;
  let metric = fromAddress("drivers", metrics[0], metrics);
  const element = card("io_uring or epoll?", driverSentence(driverResults(metric)));
  const shown = figure(element, {
    title: "io_uring compared with epoll",
    table: () => driverTable(metric),
    paint: (width) => paintDrivers(width, metric),
  });
  const choose = (value) => {
    metric = value;
    element.querySelector(".note").textContent = driverSentence(driverResults(metric));
    shown.redraw();
  };
  const options = metrics.map((name) => [name, titleOf(name)]);
  const select = keptSelect("drivers", "Compare", options, metrics[0], choose);
  if (options.length > 1) shown.element.before(choiceRow(select));
}

function shortWorkload(name) {
  const conns = name.match(/^echo\/rtt\/tcp\/conns:(\d+)\/bytes:64$/);
  return conns
    ? countText(Number(conns[1]), "connection").replace(/\d+/, (digits) => Number(digits).toLocaleString("en-US"))
    : name;
}

// ---- timers ----

function timerWorkloads() {
  return byCoverage(
    withData("late_p50").filter((name) => withData("cpu").includes(name)),
    "late_p50",
  ).sort((a, b) => (b === "sleep/serial") - (a === "sleep/serial"));
}

function addTimerCard() {
  const known = timerWorkloads();
  if (!known.length) return;
  const workload = known[0];
  const all = contenders
    .filter(({family}) => family !== "floor")
    .map((contender) => ({
      contender,
      late: find(workload, contender.name, "late_p50"),
      cpu: find(workload, contender.name, "cpu"),
    }))
    .filter(({late}) => late && late.median !== null)
    .sort((a, b) => Math.abs(a.late.median) - Math.abs(b.late.median));
  if (!all.length) return;
  const rows = all
    .slice(0, mostCardRows)
    .map(({contender, late, cpu}) => [contenderName(contender), trialsButton(late), trialsButton(cpu)]);
  const more = all.length - mostCardRows;
  card(
    "Timers",
    timerSentence(all, workload),
    plainTable(["contender", "late", "CPU per operation"], rows, `Timers: lateness and CPU on ${workload}`, "compact"),
    more > 0 ? el("p", {class: "note"}, `And ${more} more: the chart below shows all.`) : "",
  );
}

function timerSentence(all, workload) {
  const burning = all.filter(({contender}) => burnsACore(contender.name));
  const sleeping = all.filter((each) => !burning.includes(each)).map(({late}) => humanOf(late));
  const names = seriesText(burning.map(({contender}) => label(contender.name)));
  const range = `Loops that sleep are ${sleeping[0]} to ${sleeping.at(-1)} late on ${workload} (medians).`;
  const spins = burning.length === 1 ? "never sleeps and burns a core." : "never sleep and burn a core each.";
  return [sleeping.length ? range : "", burning.length ? `${names} ${spins}` : ""].filter(Boolean).join(" ");
}

function contenderName(contender) {
  return el("span", {}, swatch(contender.family, true), nameOf(contender.name));
}

// ---- idle ----

function byIdleCpu(workload) {
  return contenders
    .filter(({family}) => family !== "floor")
    .map((contender) => ({contender, spin: find(workload, contender.name, "spin")}))
    .filter(({spin}) => spin && spin.median !== null)
    .sort((a, b) => b.spin.median - a.spin.median);
}

function idleSentence(workload) {
  const all = byIdleCpu(workload);
  const burning = all.filter(({spin}) => spin.median > 0.5);
  const others = all.filter(({spin}) => spin.median <= 0.5);
  const names = burning.map(({contender, spin}) => `${label(contender.name)} uses ${humanOf(spin)}`);
  const most = others.length ? `at most ${humanOf(others[0].spin)}.` : "";
  if (!burning.length) return `Every loop uses ${most}`;
  return `${seriesText(names)} of a core while nothing happens.${most && ` All others use ${most}`}`;
}

function idleTable(workload) {
  const share = (spin) => `width:${Math.min(100, Math.max(spin.median * 100, 0.5))}%`;
  const row = ({contender, spin}) => [
    contenderName(contender),
    el("span", {class: "share"}, el("i", {class: contender.family, style: share(spin)}), trialsButton(spin)),
  ];
  const rows = byIdleCpu(workload).slice(0, mostCardRows).map(row);
  return plainTable(["contender", "share of a core"], rows, `CPU on ${workload}`, "compact");
}

function addIdleCard() {
  const known = withData("spin").filter((name) => name.startsWith("idle/") && byIdleCpu(name).length);
  if (!known.length) return;
  const first = fromAddress("idle", known[0], known);
  const place = el("div", {}, idleTable(first));
  const element = card("CPU while idle", idleSentence(first), place);
  const choose = (workload) => {
    element.querySelector(".note").textContent = idleSentence(workload);
    place.replaceChildren(idleTable(workload));
    drawSwatches();
  };
  const options = known.map((name) => [name, name]);
  if (options.length > 1) place.before(choiceRow(keptSelect("idle", "On", options, known[0], choose)));
}

function addCards() {
  if (!isComparison) {
    addDriverCard();
    addTimerCard();
    addIdleCard();
  }
  if (!document.getElementById("cards").children.length) document.getElementById("cards").remove();
}
