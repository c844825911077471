// SPDX-License-Identifier: Apache-2.0
// Tables: numbers with aligned decimal points, sorted by a click on the heading, exported as CSV.

const rowsAtOnce = 300;
const longText = 40;            // more characters than that wrap, but not to a word a line
const rowsOfLongTable = 20;     // an item with more than three times as many is folded

// An empty cell: there is no number.
function isMissing(value) {
    return value === null || value === undefined || value === "-";
}

// What did not come out as it should is seen at a glance.
function verdictClass(column, value) {
    if (!["verdict", "result", "status"].includes(column) || typeof value !== "string") {
        return null;
    }
    return /^(error|failed|fault|WRONG|not reproduced|not run|not ended|violated|differs)/.test(value) ? "bad"
        : /^(reproduced|holds|held|verified|finished)/.test(value) ? "good" : null;
}

// The address of what lies beside this page's run directory: `behind` follows the directory's path.
function besideRun(behind) {
    return new URL(".", location.href).href.replace(/\/$/, "") + behind.split("/").map(encodeURIComponent).join("/");
}

// columns: [{name, unit, text?}] where text(value) writes a cell; rows: arrays of string, number or null. linkOf(row)
// is the page that a row is about, opened from its first cell; "" if it has none.
function tableElement(columns, rows, label, atOnce = rowsAtOnce, linkOf = () => "") {
    const kinds = columns.map((column, c) => {
        const values = rows.map((row) => row[c]).filter((v) => !isMissing(v));
        const numeric = values.length > 0 && values.every((v) => typeof v === "number");
        const words = !numeric && values.some((v) => String(v).length > longText);
        return {numeric, words, decimals: numeric ? columnDecimals(values) : 0};
    });
    const body = element("tbody");
    const more = element("p", {class: "more"});
    let shown = rows;
    let limit = atOnce;
    let sorted = {column: -1, up: true};

    const cell = (value, c) => {
        const {numeric, words, decimals} = kinds[c];
        if (columns[c].text) {
            return element("td", {class: numeric ? "number" : null, title: String(value)}, columns[c].text(value));
        }
        if (!numeric) {
            return element("td", {class: [words && "words", verdictClass(columns[c].name, value)].filter(Boolean).join(" ") || null}, isMissing(value) ? "–"
                : typeof value === "number" ? formatNumber(value) : String(value));
        }
        const far = typeof value === "number" && value !== 0 &&
            (Math.abs(value) >= 1e15 || Math.abs(value) < 0.5 * 10 ** -Math.max(decimals, 0));
        const text = typeof value !== "number" ? "–" : far ? (Math.abs(value) < 1 ? inOwnUnit(value, columns[c].unit) : formatNumber(value))
            : value.toLocaleString("en-US", {minimumFractionDigits: decimals, maximumFractionDigits: decimals});
        return element("td", {class: "number", title: isMissing(value) ? null : String(value)}, text);
    };
    const rowElement = (row) => {
        const cells = columns.map((_, c) => cell(row[c], c));
        const link = linkOf(row);
        if (link) {
            cells[0].replaceChildren(element("a", {href: besideRun(link)}, ...cells[0].childNodes));
        }
        return element("tr", {}, cells);
    };
    const fill = () => {
        body.replaceChildren(...shown.slice(0, limit).map(rowElement));
        more.replaceChildren();
        if (shown.length > limit) {
            more.append(`${limit.toLocaleString("en-US")} of ${shown.length.toLocaleString("en-US")} rows. `,
                button("Show all", "Show all rows", () => {
                    limit = Infinity;
                    fill();
                }));
        }
    };
    let matching = rows;
    const sort = () => {
        const {column, up} = sorted;
        shown = matching;
        if (column >= 0) {
            const sign = up ? 1 : -1;
            shown = [...matching].sort(({[column]: a}, {[column]: b}) => (typeof a === "number" && typeof b === "number"
                ? sign * (a - b) : sign * String(a ?? "").localeCompare(String(b ?? ""), "en", {numeric: true})));
        }
        fill();
    };
    const headings = columns.map((column, c) => {
        const click = () => {
            sorted = sorted.column !== c ? {column: c, up: true}
                : sorted.up ? {column: c, up: false} : {column: -1, up: true};
            headings.forEach((th, i) => th.setAttribute("aria-sort",
                i !== sorted.column ? "none" : sorted.up ? "ascending" : "descending"));
            sort();
        };
        return element("th", {scope: "col", class: kinds[c].numeric ? "number" : null, "aria-sort": "none"},
            button(headingOf(column.name, column.unit), "Sort by this column", click));
    });
    fill();
    const table = element("table", {"aria-label": label}, element("thead", {}, element("tr", {}, headings)), body);
    const wrapper = element("div", {}, element("div", {class: "scroll", tabindex: 0, role: "group", "aria-label": label},
        table), more);
    // Shows only the rows for which `keep` is true.
    wrapper.filter = (keep) => {
        matching = rows.filter(keep);
        sort();
    };
    return wrapper;
}

function csvOfTable(columns, rows) {
    return csvText(columns.map((c) => (c.unit ? `${c.name} (${c.unit})` : c.name)), rows);
}

function csvButton(id, csv) {
    return button("CSV", "Save the data as CSV", () => save(`${id}.csv`, "text/csv;charset=utf-8", csv()));
}

function captionOf(item, extra) {
    const text = [item.note, extra].filter(Boolean).join(" ");
    return text ? element("figcaption", {}, text) : null;
}

function tableItem(item) {
    const id = uniqueId(item.id || item.title);
    return element("figure", {id, class: "table"},
        element("div", {class: "figure-head"}, element("h3", {}, item.title),
            element("div", {class: "tools"}, csvButton(id, () => csvOfTable(item.columns, item.rows)))),
        tableElement(item.columns, item.rows, item.title,
            item.rows.length > 3 * rowsOfLongTable ? rowsOfLongTable : rowsAtOnce,
            (row) => item.links?.[item.rows.indexOf(row)] ?? ""), captionOf(item));
}
