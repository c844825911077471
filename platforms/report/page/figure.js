// SPDX-License-Identifier: Apache-2.0
// The frame of a figure: title, buttons for SVG and CSV, caption, the data as a table. A figure is drawn at the start,
// when the theme or the width changes, and for the printer.

const printWidth = 680;     // CSS pixels that fit an A4 page with its margins
const exportWidth = 960;

const figures = {
    all: [],
    pending: 0,
    complete: false,
    redraw() {
        for (const figure of this.all) {
            figure.redraw();
        }
    },
    begun() {
        this.pending += 1;
    },
    done() {
        this.pending -= 1;
        this.check();
    },
    // Everything that the page draws at the start is drawn.
    check() {
        if (this.complete && this.pending === 0 && !window.contraflowReady) {
            window.contraflowReady = true;
            document.documentElement.dataset.ready = "true";
        }
    },
};

// drawing: {draw(canvas, palette, width), svg(), columns, rows, label, class?}
function drawnFigure(item, drawing, extraNote) {
    const id = uniqueId(item.id || item.title);
    const canvas = element("div", {class: `canvas ${drawing.class || ""}`, role: "img", "aria-label": drawing.label});
    const data = element("details", {class: "data"}, element("summary", {}, "Data"));
    data.addEventListener("toggle", () => {
        if (data.open && data.children.length === 1) {
            data.append(tableElement(drawing.columns, drawing.rows(), item.title));
        }
    });
    let width = 0;
    const redraw = () => {
        canvas.style.width = theme.printing ? `${printWidth}px` : "";
        width = canvas.clientWidth || exportWidth;
        try {
            drawing.draw(canvas, theme.palette(), width);
        } catch (error) {
            window.contraflowError(`${item.title}: ${error.message}`);
            canvas.replaceChildren(element("p", {class: "failed"}, `This figure cannot be drawn: ${error.message}`));
        }
    };
    figures.all.push({redraw});
    new ResizeObserver(() => {
        if (width !== 0 && !theme.printing && Math.abs(canvas.clientWidth - width) > 1) {
            redraw();
        }
    }).observe(canvas);
    return element("figure", {id},
        element("div", {class: "figure-head"}, element("h3", {}, item.title),
            element("div", {class: "tools"},
                button("SVG", "Save the figure as SVG", () => save(`${id}.svg`, "image/svg+xml", drawing.svg())),
                csvButton(id, () => csvOfTable(drawing.columns, drawing.rows())))),
        canvas, captionOf(item, extraNote), data);
}

// The text in the place of a figure without data.
function emptyFigure(item) {
    return element("figure", {id: uniqueId(item.id || item.title)}, element("h3", {}, item.title),
        element("p", {class: "about"}, "There is nothing to show."), captionOf(item));
}

// The data of a figure that cannot be drawn, because the page was made without the library that draws charts.
function tableFigure(item, {columns, rows}) {
    const id = uniqueId(item.id || item.title);
    return element("figure", {id, class: "table"},
        element("div", {class: "figure-head"}, element("h3", {}, item.title),
            element("div", {class: "tools"}, csvButton(id, () => csvOfTable(columns, rows())))),
        tableElement(columns, rows(), item.title, rowsOfLongTable),
        captionOf(item, "As a table: the library that draws charts was not at hand when this program was built."));
}

// A figure of ECharts; option(palette, width) makes what it draws, height(width) its height.
function echartsFigure(item, {option, height, columns, rows, label}, extraNote) {
    if (typeof echarts === "undefined") {
        return tableFigure(item, {columns, rows});
    }
    let chart = null;
    const draw = (canvas, palette, width) => {
        if (chart) {
            chart.dispose();
        } else {
            figures.begun();
        }
        const first = chart === null;
        const tall = height(width);
        canvas.style.height = `${tall}px`;
        chart = echarts.init(canvas, null, {renderer: "svg", width, height: tall});
        if (first) {
            const finished = () => {
                chart.off("finished", finished);
                figures.done();
            };
            chart.on("finished", finished);
        }
        chart.setOption(option(palette, width));
        chart.getZr().flush();      // now and not with the next frame: a printer does not wait for it
        chart.getZr().on("dblclick", () => chart.dispatchAction({type: "dataZoom", start: 0, end: 100}));
    };
    const svg = () => {
        const titleHeight = 34;
        const copy = echarts.init(null, null,
            {renderer: "svg", ssr: true, width: exportWidth, height: height(exportWidth) + titleHeight});
        const palette = palettes.light;
        const full = option(palette, exportWidth);
        full.backgroundColor = palette.ground;
        full.title = {text: item.title, left: 8, top: 8, textStyle: {fontFamily, fontSize: 15, color: palette.text}};
        full.grid.top += titleHeight;
        for (const head of [full.legend, full.visualMap]) {
            if (head) {
                head.top += titleHeight;
            }
        }
        copy.setOption(full);
        const text = copy.renderToSVGString({useViewBox: true});
        copy.dispose();
        return text;
    };
    return drawnFigure(item, {draw, svg, columns, rows, label}, extraNote);
}

// The common part of all ECharts options.
function baseOption(palette) {
    return {
        animation: false,
        textStyle: {fontFamily, color: palette.text},
        tooltip: {
            confine: true, transitionDuration: 0, backgroundColor: palette.raised, borderColor: palette.line,
            padding: [8, 10], textStyle: {color: palette.text, fontFamily, fontSize: 12.5},
        },
    };
}

// The legend of some names in a figure of some width, and the height it takes. Very long ones scroll, but not on paper.
function legendOf(palette, names, width) {
    const [swatch, gap, line] = [18, 14, 14];
    let rows = 1;
    let used = 0;
    for (const name of names) {
        const entry = swatch + 5 + textWidth(name, 12.5) + gap;
        if (used > 0 && used + entry > width - 10) {
            rows += 1;
            used = 0;
        }
        used += entry;
    }
    const scrolls = rows > 5 && !theme.printing;
    return {
        height: (scrolls ? 1 : rows) * (line + gap) + 8,
        legend: {
            type: scrolls ? "scroll" : "plain", top: 0, left: 0, right: 0, data: names, itemWidth: swatch, itemHeight: 10,
            itemGap: gap, icon: "roundRect", itemStyle: {opacity: 1}, inactiveColor: palette.line,
            textStyle: {color: palette.text, fontFamily, fontSize: 12.5, lineHeight: line},
            pageIconColor: palette.muted, pageIconInactiveColor: palette.line, pageTextStyle: {color: palette.muted},
        },
    };
}

// A tooltip's content: a heading and lines of [colour or null, name, value].
function tooltipContent(heading, lines) {
    return element("div", {class: "tip"}, element("strong", {}, heading), element("table", {}, lines.map(
        ([colour, name, value]) => element("tr", {},
            element("td", {}, colour ? element("span", {class: "chip", style: `background:${colour}`}) : null, name),
            element("td", {class: "number"}, value ?? "")))));
}
