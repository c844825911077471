// SPDX-License-Identifier: Apache-2.0
// Puts the page together from the report. An item that cannot be drawn says so in its place; the rest goes on.

function textItem(item) {
    return element("div", {class: "text"}, item.text.split(/\n\s*\n/).map((p) => element("p", {}, p.trim())));
}

function stepsItem(item) {
    const id = uniqueId(item.id || item.title);
    return element("figure", {id, class: "steps"},
        element("div", {class: "figure-head"}, element("h3", {}, item.title),
            element("div", {class: "tools"}, csvButton(id, () => csvText(["step", "what"], item.items.map((s, i) => [i + 1, s]))))),
        element("ol", {class: item.items.length > 8 ? "many" : null}, item.items.map((s) => element("li", {}, s))),
        captionOf(item));
}

const itemKinds = {text: textItem, table: tableItem, chart: chartItem, timeline: timelineItem, tree: treeItem, steps: stepsItem};

function itemElement(item) {
    const make = itemKinds[item.kind];
    if (!make) {
        throw new Error(`unknown kind of item "${item.kind}"`);
    }
    return make(item);
}

// The result of `make`, or a visible line with the error.
function attempt(what, make) {
    try {
        return make();
    } catch (error) {
        window.contraflowError(`${what}: ${error.message}`);
        return element("p", {class: "failed"}, `${what} cannot be shown: ${error.message}`);
    }
}

function sectionElement(id, title, ...content) {
    return element("section", {id, "aria-labelledby": `${id}-title`}, element("h2", {id: `${id}-title`}, title), content);
}

// What was run, of which version: a page that was saved or sent says it itself.
function originOf(origin) {
    return !origin ? null : element("dl", {class: "origin"}, Object.entries(origin).flatMap(([label, value]) =>
        [element("dt", {}, label), element("dd", {}, value)]));
}

function headContent(report) {
    const violated = report.conservation.filter((c) => !c.held).length;
    const badges = [element("span", {class: "badge"}, `${report.platform} ${report.version}`),
        ...Object.entries(report.levels).map(([part, level]) =>
            element("span", {class: "badge", title: "The level at which this part was modelled"}, `${part}: `,
                element("b", {}, level))),
        report.conservation.length === 0 ? null
            : element("a", {class: violated ? "badge bad" : "badge good", href: "#conservation"}, violated
                ? `${violated} of ${report.conservation.length} conservation checks violated`
                : `${report.conservation.length} of ${report.conservation.length} conservation checks hold`)];
    return [
        element("h1", {}, report.title || report.platform),
        element("p", {class: "badges"}, badges),
        originOf(report.origin),
        report.headline.length === 0 ? null : element("ul", {class: "headline"}, report.headline.map((s) => element("li", {}, s))),
        report.warnings.length === 0 ? null : element("div", {class: "warnings", role: "note", "aria-label": "Warnings"},
            element("strong", {}, report.warnings.length === 1 ? "Warning" : `${report.warnings.length} warnings`),
            element("ul", {}, report.warnings.map((s) => element("li", {}, s)))),
    ];
}

function conservationSection(checks) {
    const columns = [["check", ""], ["in", ""], ["out", ""], ["unit", ""], ["verdict", ""]].map(([name, unit]) => ({name, unit}));
    const rows = checks.map((c) => [c.name, c.in, c.out, c.unit, c.held ? "held" : "violated"]);
    const violated = checks.filter((c) => !c.held).length;
    columns[4].text = (verdict) => element("span", {class: verdict === "held" ? "good" : "bad"},
        verdict === "held" ? "✓ held" : "✗ violated");
    return sectionElement("conservation", "Conservation",
        element("p", {class: "about"}, "What went into the model must have come out of it when the run ended."),
        element("details", {class: "checks", open: violated > 0},
            element("summary", {}, violated ? `${violated} of ${checks.length} checks are violated`
                : `${checks.length.toLocaleString("en-US")} checks, all of which hold`),
            element("figure", {class: "table"}, element("div", {class: "figure-head"}, element("h3", {}, "Checks"),
                element("div", {class: "tools"}, csvButton("conservation", () => csvOfTable(columns, rows)))),
            tableElement(columns, rows, "Conservation checks"))));
}

function statisticsSection(statistics) {
    const columns = [["statistic", ""], ["metric", ""], ["value", ""], ["unit", ""], ["meaning", ""]].map(
        ([name, unit]) => ({name, unit}));
    const rows = statistics.map((s) => [s.path, s.metric, s.value, s.unit, s.text]);
    const shown = rows.map(([path, metric, value, unit, text]) => {
        const scale = typeof value === "number" ? scaleFor(unit, Math.abs(value)) : {factor: 1, unit};
        return [path, metric, typeof value === "number" ? value * scale.factor : null, scale.unit, text];
    });
    columns[2].text = (value) => formatNumber(value, 6);
    const table = tableElement(columns, shown, "Statistics");
    const filter = element("input", {type: "search", placeholder: "Filter, such as: gpu0 bytes", "aria-label": "Filter statistics"});
    filter.addEventListener("input", () => {
        const words = filter.value.toLowerCase().split(/\s+/).filter(Boolean);
        table.filter((row) => {
            const text = row.join(" ").toLowerCase();
            return words.every((word) => text.includes(word));
        });
    });
    return sectionElement("statistics", "Statistics", element("details", {class: "statistics"},
        element("summary", {}, `${statistics.length.toLocaleString("en-US")} statistics of the models`),
        element("div", {class: "figure-head"}, filter, element("div", {class: "tools"},
            csvButton("stats", () => csvText(["path", "metric", "unit", "value"], statistics.map(
                (s) => [s.path, s.metric, s.unit, s.value]))))),
        table));
}

function showReport(report) {
    const content = document.getElementById("content");
    for (const id of ["contents", "content", "head", "conservation", "statistics", "report", "theme"]) {
        takenIds.add(id);
    }
    document.getElementById("head").replaceChildren(...headContent(report).filter(Boolean));
    const links = [];
    const add = (id, title, make) => {
        content.append(attempt(title, make));
        links.push(element("a", {href: `#${id}`}, title));
    };
    for (const section of report.sections) {
        const id = uniqueId(section.id || section.title);
        add(id, section.title, () => sectionElement(id, section.title, section.items.map((item) =>
            attempt(item.title || item.kind, () => itemElement(item)))));
    }
    if (report.conservation.length > 0) {
        add("conservation", "Conservation", () => conservationSection(report.conservation));
    }
    if (report.statistics.length > 0) {
        add("statistics", "Statistics", () => statisticsSection(report.statistics));
    }
    document.getElementById("contents").append(...links);
    figures.redraw();
    figures.complete = true;
    figures.check();
}

function connectControls(text) {
    document.getElementById("save-json").addEventListener("click", () => {
        const {origin, ...saved} = JSON.parse(text);  // report.json has none, so that equal results are equal bytes
        save("report.json", "application/json", origin ? `${JSON.stringify(saved, null, 1)}\n` : text);
    });
    const control = document.getElementById("theme");
    const label = () => {
        control.textContent = {auto: "Theme: system", light: "Theme: light", dark: "Theme: dark"}[theme.chosen];
    };
    control.addEventListener("click", () => {
        theme.choose(themeNames[(themeNames.indexOf(theme.chosen) + 1) % themeNames.length]);
        label();
    });
    label();
    theme.listeners.push(() => figures.redraw());
    prefersDark.addEventListener("change", () => theme.chosen === "auto" && theme.changed());
    window.addEventListener("beforeprint", () => {
        theme.printing = true;
        theme.changed();
    });
    window.addEventListener("afterprint", () => {
        theme.printing = false;
        theme.changed();
    });
}

{
    const text = document.getElementById("report").textContent;
    connectControls(text);
    attempt("the report", () => showReport(JSON.parse(text)));
}
