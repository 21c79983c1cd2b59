#!/usr/bin/env python3
"""Tests the trends page of a history in a browser: the page shows the numbers of the history and runs no code in names.

usage: trends_test.py LOOPBENCH SOURCE_FOLDER [unittest's options]
"""

import json
import pathlib
import random
import re
import subprocess
import urllib.parse

from history_of_runs import OTHER_MACHINE, RUNS, STEPS, commit_of, run_of, smaller, write_history
from page_support import LOOPBENCH, PageTest, main, shown_number
from real_report import HOSTILE, with_hostile_names

# A list of {workload, metric, contender, machine, date, text} for every number below the charts.
NUMBERS = """
(() => {
  for (const details of document.querySelectorAll("#trends figure details")) details.open = true;
  return shownPanels().flatMap((panel) => {
    const table = panelTable(panel);
    const lines = [...table.querySelectorAll("thead th")].slice(1)
      .map((head) => head.querySelector(".name").textContent);
    const machines = shownLines(panel).map(({machine}) => machine);
    return [...table.querySelectorAll("tbody tr")].flatMap((row) => [...row.querySelectorAll("td")].map((cell, i) => ({
      workload: panel.workload, metric: panel.metric, contender: lines[i], machine: machines[i],
      date: row.querySelector("th").textContent.split(", ").at(-1),
      text: cell.querySelector("button")?.textContent ?? null})));
  }).filter(({text}) => text !== null);
})()
"""

# A list of {workload, metric, contender, machine, date, value, low, high} for every drawn point.
POINTS = """
shownPanels().flatMap((panel) => {
  const chart = Chart.getChart(panel.element.querySelector("canvas"));
  return chart.data.datasets.flatMap((set) => set.data.map(({x, y, low, high}) => ({workload: panel.workload,
    metric: panel.metric, contender: set.line.contender.name, machine: set.line.machine,
    date: shownRuns()[x].date.slice(0, 10), value: y, low, high})));
})
"""


def loopbench(*words, code=0):
    ran = subprocess.run([LOOPBENCH, "history", *words], capture_output=True, text=True)
    if ran.returncode != code:
        raise AssertionError(f"{words}: exit code {ran.returncode}: {ran.stderr}")
    return ran.stdout


class Trends(PageTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.place, cls.reports = write_history(cls.folder, LOOPBENCH, cls.report)
        cls.page = cls.folder / "trends.html"
        cls.write_page()
        cls.series = json.loads(loopbench("trend", "--history", cls.place, "--json"))["series"]
        cls.changes = json.loads(loopbench("changes", "--history", cls.place, "--json"))["changes"]

    @classmethod
    def write_page(cls):
        loopbench("trend", "--history", cls.place, "--format", "html", "-o", cls.page, "--reports", cls.folder / "runs")

    def choose(self, **what):
        self.browser.run(f"choose({json.dumps(what)})")

    def wait_for_tables(self):
        self.browser.run("""new Promise((done) => {
          const look = () => ([...document.querySelectorAll("#trends details[open]")].every((each) =>
            each.querySelector("table, fieldset")) ? done() : setTimeout(look));
          look();
        })""")

    def kept_points(self):
        return {(each["workload"], each["metric"], each["contender"], each["machine"]["number"], point["date"][:10]):
                (point["value"], point["low"], point["high"]) for each in self.series for point in each["points"]}

    def test_every_number_of_the_tables_equals_the_history(self):
        self.open()
        kept, compared = self.kept_points(), 0
        for show in ("value", "baseline"):
            self.choose(show=show)
            for cell in self.browser.run(NUMBERS):
                exact = kept.pop(tuple(cell[key] for key in ("workload", "metric", "contender", "machine", "date")))
                texts = re.split(r" \(|–|\)", cell["text"])
                for text, number in zip([each for each in texts if each], exact):
                    value, half_a_digit = shown_number(text)
                    self.assertLessEqual(abs(value - number), half_a_digit + abs(number) * 1e-6, (cell, exact))
                    compared += 1
        self.assertGreater(compared, 3 * 1000)
        self.assertEqual(kept, {}, "some kept points are not shown")

    def test_every_drawn_point_has_the_values_of_the_history(self):
        self.open()
        kept, drawn = self.kept_points(), self.run_when_drawn(POINTS)
        self.assertGreater(len(drawn), 1000)
        for point in drawn:
            exact = kept[tuple(point[key] for key in ("workload", "metric", "contender", "machine", "date"))]
            for key, number in zip(("value", "low", "high"), exact):
                self.assertAlmostEqual(point[key] / number, 1, places=6, msg=point)

    def test_every_chart_is_drawn_in_light_dark_and_print(self):
        self.expect_drawn_in_light_dark_and_print(at_least=8)
        self.choose(show="change")
        self.expect_drawn(at_least=8)

    def test_nothing_is_wider_than_the_window(self):
        self.expect_nothing_wider_than_the_window()

    def test_each_change_is_listed_with_its_commits_and_its_size(self):
        self.open()
        said = [" ".join(each.split()) for each in self.texts(".changes > li")]
        self.assertEqual(sum(len(re.findall("% worse|% better", each)) for each in said), len(self.changes))
        for contender, workload, _, start, times in STEPS:
            change = next(each for each in self.changes
                          if (each["contender"], each["workload"]) == (contender, workload))
            self.assertEqual(change["worse"], times > 1)
            text = next(each for each in said if commit_of(start)[:10] in each)
            self.assertIn(f"{contender} time per operation on {workload}", text)
            self.assertIn(commit_of(start - 1)[:10], text)
            better = 1 + change["better_by"]["median"] / 100
            self.assertIn(f"{100 * (max(better, 1 / better) - 1):.1f} %", text)

    def test_a_change_leads_to_its_chart_despite_filters(self):
        self.open()
        self.choose(filter="no such workload")
        self.assertEqual(self.browser.run("document.querySelectorAll('#trends figure').length"), 0)
        self.browser.run("document.querySelector('.changes .worse button').click()")
        where = self.browser.run("document.activeElement.closest('figure').querySelector('h3').textContent")
        self.assertIn(where, {step[1] for step in STEPS})

    def test_a_change_is_marked_in_its_chart(self):
        self.open()
        red = self.run_when_drawn("""(() => {
          const panel = shownPanels().find((each) => each.workload === "yield");
          const canvas = panel.element.querySelector("canvas"), chart = Chart.getChart(canvas);
          const set = chart.data.datasets.findIndex(({line}) => line.changes.length);
          const change = chart.data.datasets[set].line.changes[0], at = chart.getDatasetMeta(set).data[change.at];
          const wanted = css("--worse").split(", ").map(Number);
          const {data} = canvas.getContext("2d").getImageData(at.x - 30, at.y - 30, 60, 60);
          let found = 0;
          for (let i = 0; i < data.length; i += 4)
            found += wanted.every((part, k) => Math.abs(data[i + k] - part) < 30);
          return found;
        })()""")
        self.assertGreater(red, 30)

    def test_another_machine_starts_new_lines_after_a_dashed_line(self):
        self.open()
        self.assertEqual(self.browser.run("machineChanges().map(({at, machine}) => [at, machine])"),
                         [[OTHER_MACHINE, 2]])
        self.assertTrue(self.browser.run(f"""shownPanels().every((panel) => panel.lines.every(({{points, machine}}) =>
            points.every(({{run}}) => run.machine === machine &&
              (machine === 2) === (runs.indexOf(run) >= {OTHER_MACHINE}))))"""))
        dashed = self.run_when_drawn(f"""(() => {{
          const canvas = shownPanels()[0].element.querySelector("canvas");
          const {{chartArea: area, scales: {{x}}}} = Chart.getChart(canvas);
          const {{data}} = canvas.getContext("2d").getImageData(x.getPixelForValue({OTHER_MACHINE - 0.5}) - 1, area.top,
            2, area.height);
          let drawn = 0;
          for (let row = 0; row < area.height; ++row) drawn += data[row * 8 + 3] > 60 || data[row * 8 + 7] > 60;
          return drawn / area.height;
        }})()""")
        self.assertGreater(dashed, 0.3)
        self.choose(machine="2")
        self.assertEqual(self.browser.run("shownRuns().length"), RUNS - OTHER_MACHINE)
        self.assertEqual(self.browser.run("machineChanges().length"), 0)

    def test_the_address_keeps_filters_and_choices(self):
        self.open()
        self.choose(filter="echo", metric="time", show="value")
        chosen = "[JSON.stringify(choice), location.hash.slice(1)]"
        before = self.browser.run(chosen)
        self.assertIn("metric=time", before[1])
        self.open(fragment=before[1])
        self.assertEqual(self.browser.run(chosen), before)

    def test_series_are_filtered_by_workload_contender_metric_and_machine(self):
        self.open()
        shown = "shownPanels().map(({workload, metric}) => `${workload} ${metric}`)"
        self.choose(filter="echo conns:100")
        self.assertTrue(self.browser.run(shown))
        self.assertTrue(all(each.startswith("echo/rtt/tcp/conns:100/") for each in self.browser.run(shown)))
        self.choose(filter="", metric="time")
        self.assertEqual({each.split()[1] for each in self.browser.run(shown)}, {"time"})
        box = ("[...document.querySelectorAll('.contenders label')].find((each) => each.textContent === 'loop-uring')"
               ".firstChild")
        self.browser.run(f"{box}.click()")
        names = ("shownPanels().flatMap((panel) => Chart.getChart(panel.element.querySelector('canvas'))"
                 ".data.datasets.map(({label}) => label))")
        self.assertEqual(set(self.run_when_drawn(names)), {"loop-epoll"})
        self.browser.run(f"{box}.click()")
        self.assertEqual(set(self.run_when_drawn(names)), {"loop-epoll", "loop-uring"})
        self.choose(metric="counts")
        self.assertEqual(self.texts("#trends-count")[0].split(" ")[:2], ["0", "charts"])

    def test_a_number_leads_to_the_report_of_its_run(self):
        self.open()
        self.browser.run("document.querySelector('#trends figure details').open = true")
        self.wait_for_tables()
        self.browser.run("document.querySelector('#trends figure tbody td button').click()")
        facts = dict(zip(self.texts("#run dt"), self.texts("#run dd")))
        seed = int(facts["run"]) - 1
        self.assertEqual(facts["commit"], commit_of(seed))
        self.assertEqual(facts["date"], self.reports[seed]["environment"]["date"])
        self.assertIn(f"loopbench history show {seed + 1}", self.texts("#run code"))
        link = self.browser.run("document.querySelector('#run a').href")
        report = self.folder / "runs" / link.rpartition("/")[2]
        self.assertEqual(link, report.resolve().as_uri())
        self.assertEqual(len(list(report.parent.iterdir())), RUNS)
        self.open(report)
        self.assertEqual(self.browser.run("report.seed"), seed)

    def test_existing_report_pages_are_kept(self):
        first = next((self.folder / "runs").glob("1-*.html"))
        first.write_text("there")
        self.write_page()
        self.assertEqual(first.read_text(), "there")

    def test_the_page_can_be_used_with_the_keyboard(self):
        self.open()

        def press(key, code=None, text=None):
            for kind in ("keyDown", "keyUp"):
                self.browser.call("Input.dispatchKeyEvent", type=kind, key=key, code=code or key,
                                  windowsVirtualKeyCode={"Tab": 9, "Enter": 13, "Escape": 27}[key],
                                  **({"text": text} if text and kind == "keyDown" else {}))

        self.browser.run("document.querySelector('#trends figure summary').focus()")
        press("Enter", text="\r")
        self.assertTrue(self.browser.run("document.querySelector('#trends figure details').open"))
        self.wait_for_tables()
        for _ in range(3):
            press("Tab")
        self.assertTrue(self.browser.run("document.activeElement.matches('#trends figure td button')"))
        press("Enter", text="\r")
        self.assertTrue(self.browser.run("document.getElementById('run').open"))
        self.assertTrue(self.browser.run("document.getElementById('run').contains(document.activeElement)"))
        press("Escape")
        self.assertFalse(self.browser.run("document.getElementById('run').open"))
        self.assertTrue(self.browser.run("document.activeElement.matches('#trends figure td button')"))

    def test_charts_controls_and_dialogs_have_accessible_names(self):
        self.open()
        unnamed = self.browser.run("""[...document.querySelectorAll("canvas")].filter((each) =>
            each.getAttribute("role") !== "img" || !each.getAttribute("aria-label").includes(
              each.closest("figure").querySelector("h3").textContent)).length +
          [...document.querySelectorAll("select, input")].filter((each) => !each.labels[0]?.textContent.trim()).length +
          [...document.querySelectorAll("button")].filter((each) => !each.textContent.trim()).length""")
        self.assertEqual(unnamed, 0)
        self.assertEqual(self.browser.run("document.getElementById('run').getAttribute('aria-labelledby')"),
                         "run-title")

    def test_hostile_names_stay_text(self):
        report = with_hostile_names(self.report)
        place, page = self.folder / "hostile.db", self.folder / "hostile.html"
        for number, name in enumerate(HOSTILE):
            run = json.loads(json.dumps(report))
            run["seed"] = number
            run["environment"].update(date=f"2026-09-{number + 1:02}T03:04:05Z", cpu_model=name)
            for each in run["contenders"]:
                each["compiler"] = name
            source = self.folder / "hostile.json"
            source.write_text(json.dumps(run))
            loopbench("add", "--history", place, source, "--commit", name.replace("\0", ""), "--machine", name)
        loopbench("trend", "--history", place, "--format", "html", "-o", page, "--reports",
                  self.folder / "rück <b>&'\"%2F?#")
        self.expect_text_alone(page, "loopbench trends")
        self.assertEqual(set(self.texts(".contenders .name")), {each["name"] for each in report["contenders"]})
        self.browser.run("document.querySelectorAll('details').forEach((each) => { each.open = true; })")
        self.wait_for_tables()
        for selector in ("#trends td button", "#runs button"):
            self.browser.run(f"""[...document.querySelectorAll("{selector}")].slice(0, 20).forEach((each) => {{
              each.click();
              document.getElementById("run").close();
            }})""")
        self.assertLessEqual(self.browser.run("document.documentElement.scrollWidth"), 390)
        self.browser.run("document.querySelector('#runs button').click()")
        address = self.browser.run("document.querySelector('#run a').href")
        self.assertEqual(self.browser.complaints(), [])
        self.assertTrue(pathlib.Path(urllib.parse.unquote(urllib.parse.urlparse(address).path)).is_file(), address)

    def test_a_history_without_numbers_has_no_series(self):
        run = run_of(smaller(self.report), 0, random.Random(1)) | {"complete": False}
        place, source, page = (self.folder / f"interrupted.{kind}" for kind in ("db", "json", "html"))
        source.write_text(json.dumps(run))
        loopbench("add", "--history", place, source)
        loopbench("trend", "--history", place, "--format", "html", "-o", page)
        self.open(page)
        self.assertIn("No series", self.texts("#trends .small-multiples")[0])


if __name__ == "__main__":
    main()
