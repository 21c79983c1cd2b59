#!/usr/bin/env python3
"""Tests report.html in a browser: the page shows the numbers of report.json and runs no code in names.

usage: html_test.py LOOPBENCH SOURCE_FOLDER [unittest's options]
"""

import json
import math
import re
import subprocess

from full_size import write_full_run
from page_support import LOOPBENCH, PageTest, main, shown_number
from real_report import with_hostile_names

# A list of {workload, metric, contender, text, range} for every cell of the matrix.
CELLS = """
(() => {
  const names = [...document.querySelectorAll("#cells-table thead .name")].map((each) => each.textContent);
  return [...document.querySelectorAll("#cells-table tbody tr:not(.family)")].flatMap((row) => {
    const [workload, title] = [".name", "th small"].map((what) =>
      row.querySelector(what).textContent.replace(" ▸", ""));
    const metric = Object.keys(data.metrics).find((name) => data.metrics[name].title === title);
    return [...row.querySelectorAll("td")].map((cell, i) => ({
      workload, metric, contender: names[i], text: cell.firstChild?.textContent ?? "",
      range: cell.querySelector("small")?.textContent ?? ""}));
  });
})()
"""


def written(report, file):
    file.write_text(json.dumps(report))
    return file


def made(report, name, folder):
    page = folder / f"{name}.html"
    if isinstance(report, dict):
        report = written(report, folder / f"{name}.json")
    subprocess.run([LOOPBENCH, "report", report, "--format", "html", "-o", page], check=True)
    return page


class Html(PageTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.page = made(cls.journal, "page", cls.folder)

    def open_compared(self, after):
        files = [written(self.report, self.folder / "before.json"), written(after, self.folder / "after.json")]
        ran = subprocess.run([LOOPBENCH, "compare", *files, "--format", "html"], capture_output=True)
        page = self.folder / "compared.html"
        page.write_bytes(ran.stdout)
        self.open(page)
        return ran

    def choose(self, label, value, section="cells"):
        self.browser.run(f"""(() => {{
          const select = [...document.querySelectorAll("#{section} label")].find((each) =>
            each.textContent.startsWith("{label}")).querySelector("select");
          select.value = "{value}";
          select.dispatchEvent(new Event("change"));
        }})()""")

    def expect_cells(self, report, number_of):
        """Compares the numbers in the cells with the numbers that number_of() finds in report.json. Returns how many
        cells it compared.
        """
        results = {(each["workload"], each["metric"], each["contender"]): each for each in report["results"]}
        cells = self.browser.run(CELLS)
        compared = 0
        for cell in cells:
            result = results.get((cell["workload"], cell["metric"], cell["contender"]))
            expected = number_of(result) if result else None
            if expected is None:
                self.assertFalse(any(map(str.isdigit, cell["text"])), cell)
                continue
            for text, exact in zip([cell["text"], *filter(None, cell["range"].split("–"))], expected):
                value, half_a_digit = shown_number(text)
                self.assertLessEqual(abs(value - exact), half_a_digit + abs(exact) * 1e-8, (cell, result))
                compared += 1
        return compared

    def expect_number(self, text, exact):
        value, half_a_digit = shown_number(text)
        self.assertLessEqual(abs(value - exact), half_a_digit + abs(exact) * 1e-8, text)

    def result(self, workload, contender, metric, report=None):
        return next((each for each in (report or self.report)["results"] if
                     (each["workload"], each["contender"], each["metric"]) == (workload, contender, metric)), None)

    def test_every_number_of_the_matrix_equals_the_report(self):
        self.open(fragment="floors=on")
        self.choose("Metrics", "all")

        def ratio(result):
            of = result["ratio"] or result
            return of["median"] is not None and (of["median"], of["low"], of["high"]) or None

        self.assertGreater(self.expect_cells(self.report, ratio), 3000)
        self.choose("Show", "value")
        self.assertGreater(self.expect_cells(self.report, lambda result: result["median"] is not None and (
            result["median"], result["low"], result["high"]) or None), 3000)
        self.choose("Show", "floor")
        self.assertGreater(self.expect_cells(self.report, lambda result: result["times_floor"] and [
            result["times_floor"][key] for key in ("median", "low", "high")]), 500)

    def test_the_matrix_shows_primary_metrics_by_default(self):
        self.open()
        shown = {(cell["workload"], cell["metric"]) for cell in self.browser.run(CELLS)}
        about = {(each["name"], metric) for each in self.report["workloads"] for metric in each["primary_metrics"]}
        measured = {(each["workload"], each["metric"]) for each in self.report["results"]}
        self.assertEqual(shown, about & measured)

    def test_every_chart_is_drawn_in_light_dark_and_print(self):
        self.expect_drawn_in_light_dark_and_print(at_least=3)

    def test_the_theme_button_changes_the_theme(self):
        self.open(scheme="light")
        self.browser.run("document.getElementById('theme').click()")
        self.assertEqual(self.browser.run("document.documentElement.dataset.theme"), "dark")

    def test_nothing_is_wider_than_the_window(self):
        self.expect_nothing_wider_than_the_window()

    def test_the_answer_and_the_first_bars_are_on_the_first_screen(self):
        self.open()
        self.assertIn("loop-uring", self.texts("#answer")[0])
        self.assertEqual(self.texts("#reliability"), ["Preliminary"])
        bottom = self.browser.run("document.querySelector('#speed figure').getBoundingClientRect().bottom")
        self.assertLess(bottom, 900)
        self.assertGreater(self.browser.run("document.querySelectorAll('#summary > li').length"), 3)

    def test_the_badge_says_how_far_the_run_can_be_trusted(self):
        enough = self.report | {"warnings": []}
        unreliable = enough | {"aa": self.report["aa"] | {"found": "unreliable", "reason": "it differs from itself"}}
        unknown = enough | {"aa": self.report["aa"] | {"found": "unknown", "reason": "one block is too few"}}
        for name, report, word, reason, place in (
                ("reliable", enough, "Reliable", "10 blocks", "#confidence"),
                ("cut", enough | {"complete": False}, "Preliminary", "interrupted", "#confidence"),
                ("no_aa", enough | {"aa": None}, "Preliminary", "not measured twice", "#confidence"),
                ("unknown", unknown, "Preliminary", "too few", "#confidence"),
                ("unreliable", unreliable, "Unreliable", "differs from itself", "#answer")):
            self.open(made(report, name, self.folder))
            self.assertEqual(self.texts("#reliability"), [word])
            self.assertIn(reason, self.texts(place)[0])

    def test_each_bar_has_the_length_and_the_number_of_its_ratio(self):
        self.open()
        bars = self.browser.run("""[...document.querySelectorAll("#speed figure")].flatMap((figure) =>
          [...figure.querySelectorAll(".row")].map((row) => ({
            workload: figure.querySelector("h3").textContent, name: row.querySelector("title").textContent,
            length: row.querySelectorAll("rect")[1].width.baseVal.value})))""")
        self.assertGreater(len(bars), 40)
        of_baseline = {each["workload"]: each["length"] for each in bars if each["name"].startswith("asio-epoll:")}
        for each in bars:
            contender, number = each["name"].split(": ")
            ratio = (self.result(each["workload"], contender, "time")["ratio"] or {"median": 1})["median"]
            self.expect_number(number, ratio)
            if each["length"] > 1:
                self.assertAlmostEqual(each["length"] / of_baseline[each["workload"]], ratio,
                                       delta=0.02 * max(ratio, 1))

    def test_the_numbers_of_the_cards_and_below_the_charts_equal_the_report(self):
        self.open()
        self.browser.run("document.querySelectorAll('figure details').forEach((each) => { each.open = true; })")
        tables = self.run_when_drawn("""[...document.querySelectorAll("figure table, .card table")].map((table) => {
          const texts = (elements) => [...elements].map((each) => each.textContent);
          return {caption: table.caption.textContent, head: texts(table.querySelectorAll("thead th")),
            rows: [...table.querySelectorAll("tbody tr")].map((row) => texts(row.children))};
        })""")
        compared = 0
        titles = "Object.fromEntries(Object.entries(data.metrics).map(([name, {title}]) => [title, name]))"
        metrics = self.browser.run(titles) | {"late": "late_p50", "CPU per operation": "cpu", "share of a core": "spin"}
        for table in tables:
            if table["caption"].startswith("io_uring compared with epoll"):
                for workload, uring, epoll, ratio, _, verdict in table["rows"]:
                    exact = self.result(workload, uring, "time")["to_epoll"]
                    self.assertEqual((epoll, verdict), (exact["to"], exact["verdict"]))
                    self.expect_number(ratio, exact["median"])
                    compared += 1
            workload = next((each["name"] for each in self.report["workloads"]
                             if table["caption"].endswith(each["name"])), None)
            for row in table["rows"] if workload else []:
                for title, text in zip(table["head"], row):
                    if title in metrics and text != "–":
                        self.expect_number(text, self.result(workload, row[0], metrics[title])["median"])
                        compared += 1
        self.assertGreater(compared, 150)

    def test_loops_that_do_not_sleep_are_left_out_of_the_scatter_chart(self):
        shown = """Chart.getChart(document.querySelector("#accuracy canvas")).data.datasets.map(({label}) => label)"""
        self.open()
        names = self.run_when_drawn(shown)
        self.assertNotIn("loop-round-robin", names)
        self.assertNotIn("loop-tick", names)
        self.assertIn("loop-uring", names)
        self.assertIn("loop-round-robin (burns a core", self.texts("#accuracy .note")[0])
        self.browser.run("[...document.querySelectorAll('#accuracy input')][0].click()")
        self.assertIn("loop-round-robin", self.run_when_drawn(shown))
        self.assertIn("sleepers=off", self.browser.run("location.hash"))

    def test_the_address_keeps_filters_and_choices(self):
        self.open()
        self.browser.run("""(() => {
          const filter = document.querySelector("#cells input[type=search]");
          filter.value = "echo conns:1000";
          filter.dispatchEvent(new Event("input"));
          document.querySelector("fieldset.asio input:last-of-type").click();
        })()""")
        self.choose("Show", "value")
        self.choose("Show", "value", "speed")
        self.browser.run("document.querySelector('nav a[href=\"#cells\"]').click()")
        state = """[location.hash, [...document.querySelectorAll("#speed .row title")].map((each) => each.textContent),
          document.getElementById("cells-table").textContent]"""
        before = self.browser.run(state)
        self.assertTrue(before[0].startswith("#cells&"), before[0])
        self.open(fragment=before[0][1:])
        self.assertEqual(self.browser.run(state), before)
        self.assertGreater(self.browser.run("scrollY"), 500)

    def test_wrong_choices_in_the_address_are_ignored(self):
        self.open(fragment="nowhere&show=%3Cimg%3E&speed=7&hide=missing&latency-of=none&filter=echo")
        self.assertEqual(len(self.texts("#answer")), 1)
        self.assertTrue(all(each["workload"].startswith("echo") for each in self.browser.run(CELLS)))

    def test_floors_are_hidden_and_the_section_of_the_machine_is_folded(self):
        self.open()
        self.assertFalse(any(name.startswith("floor-") for name in self.texts("#cells-table thead .name")))
        self.assertFalse(self.browser.run("document.querySelector('#machine details').open"))
        self.browser.run("dispatchEvent(new Event('beforeprint'))")
        self.assertTrue(self.browser.run("document.querySelector('#machine details').open"))
        self.browser.run("dispatchEvent(new Event('afterprint'))")
        self.assertFalse(self.browser.run("document.querySelector('#machine details').open"))

    def test_families_differ_in_pattern_and_marker(self):
        self.open()
        looks = self.browser.run("""families.map(({id}) => {
          const [definition, fill] = patternOf(id);
          return [definition?.querySelector("path").getAttribute("d") ?? fill, markers[id]];
        })""")
        for kind in zip(*looks):
            self.assertEqual(len(set(kind)), len(looks))

    def test_a_copied_chart_has_its_title_the_machine_and_the_date(self):
        self.open()
        for figure in ("#speed figure", "#accuracy figure"):
            width, height, title, texts = self.browser.run(f"""(async () => {{
              const texts = [], fillText = CanvasRenderingContext2D.prototype.fillText;
              CanvasRenderingContext2D.prototype.fillText = function (text, ...more) {{
                texts.push(text);
                return fillText.call(this, text, ...more);
              }};
              const copied = new Promise((resolve) => {{
                Object.defineProperty(navigator, "clipboard", {{configurable: true, value: {{
                  write: async ([item]) => resolve(await createImageBitmap(await item.getType("image/png")))}}}});
              }});
              document.querySelector("{figure} .copy").click();
              const {{width, height}} = await copied;
              CanvasRenderingContext2D.prototype.fillText = fillText;
              return [width, height, document.querySelector("{figure} h3").textContent, texts];
            }})()""")
            self.assertGreater(width * height, 200_000)
            self.assertIn(title, texts)
            source = self.report["environment"]
            self.assertTrue(any(source["cpu_model"] in text and source["date"][:10] in text for text in texts), texts)
        self.assertEqual(self.browser.complaints(), [])

    def test_a_maximum_has_no_verdict(self):
        report = json.loads(json.dumps(self.report))
        echo = "echo/rtt/tcp/conns:1/bytes:64"
        where = (echo, "latency_p99")
        for each in report["results"]:
            if each["workload"] == echo and each["metric"] in ("latency_p99", "latency_p999"):
                each.update(max_of=30)
        self.open(made(report, "maximum", self.folder))
        cells = [cell for cell in self.browser.run(CELLS) if (cell["workload"], cell["metric"]) == where and
                 self.result(echo, cell["contender"], "latency_p99")]
        self.assertGreater(len(cells), 5)
        for cell in cells:
            self.assertEqual(cell["range"], "max of 30")
            self.assertNotRegex(cell["text"], "[▲▼=?]")
            self.expect_number(cell["text"], self.result(echo, cell["contender"], "latency_p99")["median"])
        drawn = self.browser.run(f"curveOf('{echo}', 'asio-epoll', 'latency').length")
        self.assertEqual(drawn, 2)

    def test_a_click_on_a_cell_opens_its_trials(self):
        self.open()
        self.browser.run("""[...document.querySelectorAll("#cells-table td")].find((cell) =>
            cell.result?.contender === "loop-uring" && cell.result.metric === "time").click()""")
        where = self.texts("#trials-title .name")
        result = next(each for each in self.report["results"] if each["metric"] == "time" and
                      [each["contender"], each["workload"]] == where)
        trials = self.texts("#trials .trials td")
        self.assertEqual(len(trials), len(result["samples"]))
        for text, exact in zip(trials, result["samples"]):
            value, half_a_digit = shown_number(text)
            self.assertLessEqual(abs(value - exact), half_a_digit + 1e-4 * abs(exact))
        said = self.browser.run("document.getElementById('trials').textContent")
        self.assertIn(result["verdict"], said)
        self.assertIn(result["pairing"], said)

    def of_threads(self):
        """Returns a report of two workloads with 1 to 8 threads. `asio-epoll` becomes slower with each thread, and
        `loop-epoll` scales; `loop-uring` has no result with 2 threads, and `floor-epoll` only one.
        """
        report = json.loads(json.dumps(self.report))
        like = self.result("yield", "asio-epoll", "time")
        report.update(workloads=[], results=[], warnings=[])

        def add(workload, contender, metric, unit, values, **more):
            result = {**like, "workload": workload, "contender": contender, "metric": metric, "unit": unit,
                      "samples": values, "median": values and values[0], "low": values and 0.9 * values[0],
                      "high": values and 1.1 * values[0], "ratio": None, "times_floor": None, "verdict": None}
            result.pop("to_epoll", None)
            report["results"].append(result | more)

        for name in ("post", "echo"):
            for threads in (1, 2, 4, 8):
                workload = f"threads/{name}/threads:{threads}"
                report["workloads"].append({"name": workload, "primary_metrics": ["time", "cpu"]})
                for contender, power in (("asio-epoll", 1), ("loop-epoll", -0.9), ("loop-uring", -0.5)):
                    if threads == 8 or (contender, threads) == ("loop-uring", 2):
                        status = "unsupported" if threads == 8 else "failed"
                        add(workload, contender, "time", "ns", [], status=status, median=None, low=None, high=None,
                            reason=f"it needs {threads} cores")
                        continue
                    add(workload, contender, "time", "ns", [100 * threads ** power] * 10)
                    add(workload, contender, "cpu", "ns", [100 * threads ** (power + 1)] * 10)
        add("threads/post/threads:1", "floor-epoll", "time", "ns", [20] * 10)
        return report

    def curves_drawn(self, section):
        """Returns the points of each line, for each chart of the section: {title: {contender: [[x, y], ...]}}."""
        return self.run_when_drawn(f"""Object.fromEntries(
          [...document.querySelectorAll("#{section} canvas")].map((canvas) => {{
            const lines = Chart.getChart(canvas).data.datasets;
            return [canvas.closest("figure").querySelector("h3").textContent,
              Object.fromEntries(lines.map(({{label, data}}) => [label, data.map(({{x, y}}) => [x, y])]))];
          }}))""")

    def test_work_per_second_and_cpu_time_are_curves_against_the_number_of_threads(self):
        page = made(self.of_threads(), "threads", self.folder)
        for scheme in ("light", "dark"):
            self.open(page, scheme=scheme)
            drawn = self.curves_drawn("threads")
            self.assertEqual(list(drawn), ["threads/post: work", "threads/post: CPU time", "threads/echo: work",
                                           "threads/echo: CPU time"])
            for title, one, shift, sign in (("work", 1e7, 0, -1), ("CPU time", 100, 1, 1)):
                charts = drawn[f"threads/post: {title}"]
                for contender, power in (("asio-epoll", 1), ("loop-epoll", -0.9)):
                    for (x, y), threads in zip(charts[contender], (1, 2, 4), strict=True):
                        self.assertEqual(x, threads)
                        self.assertAlmostEqual(y / (one * threads ** (sign * power + shift)), 1, places=6)
                self.assertEqual([y is None for _, y in charts["loop-uring"]], [False, True, False])
            self.expect_drawn(at_least=4)
        self.expect_nothing_wider_than_the_window(page)

    def test_the_share_of_linear_scaling_replaces_the_work_if_it_is_chosen(self):
        self.open(made(self.of_threads(), "threads", self.folder))
        self.choose("Show", "share", "threads")
        shares = self.curves_drawn("threads")["threads/post: work"]
        for contender, power in (("asio-epoll", -2), ("loop-epoll", -0.1)):
            self.assertEqual(len(shares[contender]), 3)
            for threads, share in shares[contender]:
                self.assertAlmostEqual(share, threads ** power, places=6)
        self.assertIn("threads=share", self.browser.run("location.hash"))

    def test_the_table_of_a_curve_shows_failures_and_the_note_names_missing_points(self):
        self.open(made(self.of_threads(), "threads", self.folder))
        self.assertRegex(self.texts("#threads figure .note")[0],
                         r"With 4 threads, loop-epoll does 3\.48× .* Failed: loop-uring with 2 threads \(it needs 2 "
                         r"cores\)\. Unsupported: 8 threads\.")
        self.browser.run("document.querySelectorAll('#threads details').forEach((each) => { each.open = true; })")
        rows = dict(self.run_when_drawn("""[...document.querySelectorAll("#threads figure:first-of-type tbody tr")].map(
          (row) => [row.cells[0].textContent, [...row.cells].slice(1).map((cell) => cell.textContent)])"""))
        self.assertEqual(rows["loop-uring"][1], "failed")
        self.assertEqual(len(rows["loop-uring"]), 3)
        self.assertRegex(rows["asio-epoll"][1], r"^5\.00\s?M/s, 25\.0 %")
        self.assertIn("asio-epoll does 0.25×", self.texts("#summary .threads")[0])

    def test_a_report_without_several_threads_has_no_section_about_them(self):
        self.open()
        self.assertEqual(self.texts("#threads"), [])
        self.assertIn("echo/rtt/tcp/conns:*/bytes:64", self.curves_drawn("scaling"))

    def test_the_matrix_can_be_used_with_the_keyboard(self):
        self.open()
        in_order = "[...document.querySelectorAll('#cells-table td')].filter((cell) => cell.tabIndex === 0).length"
        self.assertEqual(self.browser.run(in_order), 1)
        self.browser.run("document.querySelector('#cells-table td').focus()")
        for key in ("ArrowRight", "ArrowDown", "Enter"):
            for kind in ("keyDown", "keyUp"):
                self.browser.call("Input.dispatchKeyEvent", type=kind, key=key)
        self.assertTrue(self.browser.run("document.getElementById('trials').open"))
        self.assertEqual(self.browser.run(in_order), 1)

    def test_filters_and_sorting_choose_rows_and_columns(self):
        self.open()
        self.browser.run("""(() => {
          const filter = document.querySelector("#cells input[type=search]");
          filter.value = "echo conns:1000";
          filter.dispatchEvent(new Event("input"));
        })()""")
        self.assertEqual({cell["workload"] for cell in self.browser.run(CELLS)}, {"echo/rtt/tcp/conns:1000/bytes:64"})
        self.browser.run("document.querySelector('#cells-table tbody button').click()")
        ratios = [shown_number(cell["text"])[0] for cell in self.browser.run(CELLS)
                  if cell["metric"] == "time" and cell["text"] != "–" and cell["contender"] != "asio-epoll"]
        self.assertGreater(len(ratios), 3)
        self.assertEqual(ratios, sorted(ratios, reverse=True))

    def test_hostile_names_stay_text(self):
        report = with_hostile_names(self.report)
        self.expect_text_alone(made(report, "hostile", self.folder), "loopbench report")
        self.open(self.folder / "hostile.html", width=390, fragment="floors=on")
        self.assertEqual(set(self.texts("#cells-table thead .name")), {each["name"] for each in report["contenders"]})
        self.expect_cells(report, lambda result: (result["ratio"] or result)["median"] is not None and [
            (result["ratio"] or result)[key] for key in ("median", "low", "high")] or None)
        self.expect_drawn(at_least=3)
        self.browser.run("document.querySelectorAll('#cells-table td').forEach((cell) => cell.click())")
        self.assertEqual(self.browser.complaints(), [])

    def test_two_reports_are_shown_as_before_and_after(self):
        after = json.loads(json.dumps(self.report))
        slower = [each for each in after["results"] if each["contender"] == "loop-uring" and each["median"]]
        for each in slower:
            each.update(samples=[trial and 2 * trial for trial in each["samples"]], median=2 * each["median"])
            ratio, factor = each["ratio"], 0.5 if each["direction"] == "smaller" else 2
            if ratio:
                ratio.update({key: factor * ratio[key] for key in ("median", "low", "high")},
                             samples=[pair and factor * pair for pair in ratio.get("samples", [])])
        ran = self.open_compared(after)
        self.assertEqual(ran.returncode, 3, ran.stderr)
        self.assertIn("SLOWER: loop-uring on yield: 2.0 times as slow", self.texts("#answer")[0])
        ratios = {cell["contender"]: cell["text"] for cell in self.browser.run(CELLS) if cell["workload"] == "yield"}
        self.assertEqual(shown_number(ratios["loop-uring"])[0], 0.5)
        self.assertEqual(shown_number(ratios["loop-epoll"])[0], 1)
        times = {each["contender"]: [each["median"], each["low"], each["high"]] for each in self.report["results"]
                 if (each["workload"], each["metric"]) == ("yield", "time")}
        self.choose("Show", "before")
        for cell in self.browser.run(CELLS):
            if cell["workload"] == "yield" and cell["text"]:
                value, half_a_digit = shown_number(cell["text"])
                self.assertLessEqual(abs(value - times[cell["contender"]][0]), half_a_digit, cell)

    def test_a_comparison_names_crashed_and_lost_results_and_an_unreliable_session(self):
        after = json.loads(json.dumps(self.report))
        about_time = {each["name"] for each in after["workloads"] if each["primary_metrics"][0] == "time"}
        times = [each for each in after["results"]
                 if each["metric"] == "time" and each["median"] and each["workload"] in about_time]
        crashed, lost = [each for each in times if each["contender"] == "loop-uring"][:2]
        for each, status in ((crashed, "failed"), (lost, "unsupported")):
            each.update(status=status, reason="killed by SIGSEGV", samples=[], **dict.fromkeys(
                ("median", "low", "high", "ratio", "times_floor", "verdict", "detectable_pct")))
        # Sets a result for the first primary metric of its workload to zero. The comparison counts it as lost, because
        # zero has no ratio.
        headline = {each["name"]: each["primary_metrics"] for each in after["workloads"]}
        late = next(each for each in after["results"] if each["contender"] == "loop-uring" and each["median"]
                    and each["metric"] == headline[each["workload"]][0] != "time" and each["samples"])
        late["samples"] = [0 for _ in late["samples"]]
        after["aa"].update(found="unreliable", reason="it differs from itself")
        self.open_compared(after)
        self.assertIn("differs from itself", self.texts("#answer")[0])
        failed = self.texts("#problems .failed")
        self.assertIn(f"loop-uring on {crashed['workload']}", failed[0])
        self.assertIn("2 results", failed[1])
        count = sum(int(re.search(r": (\d+) of", text)[1])
                    for kind in ("slower", "faster", "equivalent", "inconclusive")
                    for text in self.texts(f"#summary .{kind}"))
        self.assertGreater(count, 100)
        self.assertRegex(self.texts("#summary .equivalent, #summary .inconclusive")[0], rf" of {count}\b")

    def test_a_comparison_survives_a_verdict_without_a_ratio(self):
        report = json.loads(json.dumps(self.report))
        report["baseline"] = "before"
        judged = [each for each in report["results"] if each["verdict"] == "slower" and each["ratio"]]
        judged[0]["ratio"] = None
        self.open(made(report, "no_ratio", self.folder))
        self.assertIn(f"{len(judged) - 1} of ", self.texts("#summary .slower")[0])

    def of_two_programs(self):
        report = json.loads(json.dumps(self.report))
        like = self.result("yield", "asio-epoll", "time")
        report.update(baseline="old", command=["loopbench", "compare", "./old", "./new"], warnings=[],
                      contenders=[{**report["contenders"][0], "name": name, "library": None, "context": {}}
                                  for name in ("old", "new")],
                      workloads=[{"name": name, "primary_metrics": ["time"]}
                                 for name in ("BM_sort", "BM_hash", "BM_concat")], results=[])
        for name, verdict, median, low, high in (("BM_sort", "slower", 1 / 1.022, 1 / 1.028, 1 / 1.016),
                                                 ("BM_hash", "faster", 1.076, 1.072, 1.079),
                                                 ("BM_concat", "inconclusive", 1.001, 0.98, 1.02)):
            of_old = {**like, "workload": name, "contender": "old", "ratio": None, "times_floor": None, "verdict": None}
            of_old.pop("to_epoll", None)
            report["results"] += [of_old, of_old | {
                "contender": "new", "ratio": {"to": "old", "median": median, "low": low, "high": high},
                "verdict": verdict, "detectable_pct": 5.7 if verdict == "inconclusive" else None}]
        return report

    def test_a_comparison_of_programs_has_a_row_with_a_dot_for_each_benchmark(self):
        report = self.of_two_programs()
        self.open(made(report, "programs", self.folder))
        self.assertRegex(self.texts("#answer")[0], r"^new is 2\.2 % slower than old on BM_sort \(1\.6 to 2\.8 %\)")
        rows = self.browser.run("""[...document.querySelectorAll("#speed .row")].map((row) => {
          const {x, width} = row.lastElementChild.previousElementSibling.getBBox();
          return [row.getAttribute("aria-label"), x + width / 2];
        })""")
        self.assertEqual([name.split(":")[0] for name, _ in rows], ["BM_sort", "BM_hash", "BM_concat"])
        self.assertIn("undecided", rows[2][0])
        ticks = self.browser.run("""Object.fromEntries([...document.querySelectorAll("#speed svg text")]
          .map((each) => [each.textContent, Number(each.getAttribute("x"))])
          .filter(([text]) => /%$/.test(text)))""")
        self.assertEqual(set(ticks), {"-10 %", "-5 %", "0 %", "+5 %", "+10 %"})
        per_pct = (ticks["+10 %"] - ticks["0 %"]) / 10
        for (_, at), change in zip(rows, (-2.2, 7.6, 0.1)):
            self.assertAlmostEqual((at - ticks["0 %"]) / per_pct, change, delta=0.15)

    def test_a_comparison_of_programs_has_no_empty_section(self):
        self.open(made(self.of_two_programs(), "programs", self.folder))
        self.assertEqual(self.browser.run("[...document.querySelectorAll('main > *')].map((each) => each.id)"),
                         ["overview", "speed", "cells", "trust", "machine"])
        self.assertEqual(len(self.texts("nav a")), 4)

    def test_an_axis_of_changes_grows_with_its_intervals(self):
        report = self.of_two_programs()
        report["results"][-1]["ratio"].update(median=1.2, low=0.9, high=1.4)
        self.open(made(report, "wide", self.folder))
        self.assertIn("+50 %", self.texts("#speed svg text"))

    def test_undecided_contenders_are_listed_by_metric(self):
        floors = {each["name"] for each in self.report["contenders"] if each["context"].get("role") == "floor"}
        headline = {each["name"]: each["primary_metrics"] for each in self.report["workloads"]}
        wanted = {(each["metric"], each["contender"]) for each in self.report["results"]
                  if each["verdict"] == "inconclusive" and each["contender"] not in floors
                  and each["metric"] in headline[each["workload"]]}
        self.assertTrue(wanted)
        self.open()
        shown = self.browser.run("""[...document.querySelectorAll("#uncertain tbody tr")].flatMap((row) =>
          [...row.querySelectorAll("td bdi")].map((name) => [Object.keys(data.metrics).find((metric) =>
            data.metrics[metric].title === row.querySelector("th").textContent), name.textContent]))""")
        contenders = {each["name"] for each in self.report["contenders"]}
        self.assertEqual({tuple(each) for each in shown if each[1] in contenders}, wanted)

    def test_sorting_keeps_the_focus(self):
        self.open()
        for button in ("tbody button", "thead button"):
            for _ in range(2):
                self.browser.run(f"""(() => {{
                  const button = document.querySelector("#cells-table {button}");
                  button.focus();
                  button.click();
                }})()""")
                self.assertTrue(self.browser.run(
                    "document.getElementById('cells-table').contains(document.activeElement)"))

    def test_a_chart_without_a_positive_value_has_axes(self):
        report = json.loads(json.dumps(self.report))
        for each in report["results"]:
            if each["metric"] == "spin":
                each["median"] = 0
        self.open(made(report, "no_cpu", self.folder))
        self.assertTrue(self.browser.run("""Chart.getChart(document.querySelector("#accuracy canvas")).data.datasets
            .every(({data}) => Number.isFinite(data[0].x))"""))

    def test_the_top_of_the_page_says_how_many_of_the_planned_blocks_were_measured(self):
        blocks = self.report["plan"]["blocks"]
        self.open()
        self.assertRegex(self.texts("#about")[0], rf"· {blocks} blocks")
        cut = self.report | {"plan": self.report["plan"] | {"blocks": 2 * blocks}}
        self.open(made(cut, "cut", self.folder))
        self.assertRegex(self.texts("#about")[0], rf"· {blocks} of {2 * blocks} blocks")

    def test_a_curve_keeps_the_negative_times_of_early_timers(self):
        self.open()
        self.assertEqual(self.browser.run("""(() => {
          curves.push({workload: "w", contender: "c", metric: "late", values: [-2000000, 5]});
          return curveOf("w", "c", "late").map(({y, ns}) => [y, ns]);
        })()"""), [[1, -2_000_000], [5, 5]])

    def test_a_run_writes_the_page_with_whole_distributions(self):
        folder = self.folder / "run"
        command = [LOOPBENCH, "run", "--quick", "--blocks", "1", "-o", folder, "--contender", "loop-epoll",
                   "--contender", "asio-epoll", "--workload", "timer/periodic", "--workload", "echo/rtt/tcp/conns:1/*"]
        ran = subprocess.run(command, capture_output=True, text=True)
        self.assertIn(ran.returncode, (0, 5), ran.stderr)  # code 5 means that other tests disturbed the machine
        self.open(folder / "report.html")
        self.expect_drawn(at_least=2)
        drawn = self.browser.run("curves.map((curve) => `${curve.contender} ${curve.metric}`)")
        self.assertEqual(set(drawn), {"asio-epoll latency", "asio-epoll late", "loop-epoll latency", "loop-epoll late"})
        hgrm = subprocess.run([LOOPBENCH, "report", folder / "report.json", "--format", "hgrm"], check=True,
                              capture_output=True, text=True).stdout
        ends = re.findall(r"#\[Max += +([\d.]+), Total count += +(\d+)\]", hgrm)
        self.assertEqual(self.browser.run("curves.map((curve) => [curve.max, curve.count])"),
                         [[round(1000 * float(us)), int(count)] for us, count in ends])
        self.assertTrue(self.browser.run("""curves.every(({values, max}) =>
            values.every((value, i) => value <= max && value >= (values[i - 1] ?? value)))"""))
        # A curve ends where ten samples remain, so the number of its steps follows from the number of samples.
        for steps, count in self.browser.run("curves.map(({values, count}) => [values.length, count])"):
            self.assertEqual(steps, max(0, math.floor(8 * math.log10(count / 10) + 1e-9) + 1))

    def test_the_causes_of_a_slowdown_and_its_flame_graph_are_shown(self):
        stacks = [("main;run;BM_sort;slow <b>", 10, 500), ("main;run;BM_sort;quick", 90, 80), ("main;start", 1, 1)]
        cause = {"workload": "BM_sort", "contender": "new", "per": "operation", "compared": ["system_call"],
                 "changed": [{"kind": "system_call", "name": "read", "before": 1, "after": 3}], "unstable": [],
                 "set_up_included": False, "missing": [],
                 "time_before": {"wall_ns": 101, "user_ns": 101, "system_ns": 0},
                 "time_after": {"wall_ns": 581, "user_ns": 581, "system_ns": 0},
                 "profile": {"profiler": "perf", "set_up_included": False,
                             "functions": [{"name": "slow <b>", "before_pct": 10, "after_pct": 80, "more_ns": 490},
                                           {"name": "quick", "before_pct": 90, "after_pct": 20, "more_ns": -10}],
                             "stacks": [{"stack": stack, "before_ns": before, "after_ns": after}
                                        for stack, before, after in stacks]}}
        gate = {"tolerated_pct": 5, "outcome": "regression", "verdict": "SLOWER: BM_sort."}
        page = made(self.report | {"causes": [cause], "gate": gate}, "causes", self.folder)
        for scheme in ("light", "dark"):
            self.expect_nothing_wider_than_the_window(page)
            self.open(page, scheme=scheme)
            self.assertEqual(self.texts("#found-causes li"),
                             ["BM_sort: 2 more read(2) per operation; slow <b> takes 490 ns more."])
            widths = dict(self.browser.run("""[...document.querySelectorAll("#profiles g")].map((box) => [
              box.querySelector("title").textContent.split(":")[0], box.querySelector("rect").width.baseVal.value])"""))
            self.assertAlmostEqual(widths["slow <b>"] / widths["quick"], 500 / 80, delta=0.05)
            colours = self.browser.run("""[".grew-3 rect", ".same rect"].map((each) =>
              getComputedStyle(document.querySelector("#profiles " + each)).fill)""")
            self.assertEqual(len(set(colours)), 2)
            self.assertEqual(self.texts("#profiles tbody th"), ["slow <b>"])
            self.assertIn("Profiles", self.texts("nav a"))

    def loading_ms(self, page):
        self.open(page)
        return self.browser.run("performance.getEntriesByType('navigation')[0].loadEventEnd")

    def test_the_page_of_a_full_run_is_below_three_megabytes(self):
        folder = self.folder / "full"
        folder.mkdir()
        write_full_run(folder, LOOPBENCH, self.journal.read_bytes(), blocks_with_histograms=1)
        results = len(json.loads((folder / "report.json").read_text())["results"])
        self.assertGreater(results, 10_000)
        page = made(folder / "report.json", "full", self.folder)
        self.assertLess(page.stat().st_size, 3_000_000)
        self.expect_nothing_wider_than_the_window(page)
        self.expect_drawn(at_least=15)
        # A page with n times as many results takes at most about n times as long to load.
        times = [(self.loading_ms(page), self.loading_ms(self.page)) for _ in range(3)]
        self.assertLess(min(full for full, _ in times) / min(small for _, small in times),
                        2 * results / len(self.report["results"]), times)


if __name__ == "__main__":
    main()
