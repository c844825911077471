// SPDX-License-Identifier: Apache-2.0
// Added to a page by browser_test.sh: uses the page's controls and writes the results into the document.
(() => {
    const note = (name, value) => {
        document.documentElement.setAttribute(`data-test-${name}`, String(value));
    };
    const blobs = [];
    // Reading a real file takes real time, for which a browser with a virtual clock does not wait.
    window.Blob = function (parts) {
        this.content = parts.join("");
    };
    URL.createObjectURL = (blob) => {
        blobs.push(blob);
        return "data:,";
    };
    HTMLAnchorElement.prototype.click = function () {
        blobs.at(-1).fileName = this.download;
    };
    const firstCells = (id) => [...document.querySelectorAll(`#${id} tbody tr`)].map((row) => row.cells[4].title);

    const run = async () => {
        const heading = document.querySelectorAll("#sends th button")[4];
        const before = firstCells("sends").map(Number);
        heading.click();
        const sorted = [...before].sort((a, b) => a - b);
        note("sorted", JSON.stringify(firstCells("sends").map(Number)) === JSON.stringify(sorted));
        heading.click();
        note("reversed", JSON.stringify(firstCells("sends").map(Number)) === JSON.stringify(sorted.reverse()));
        heading.click();
        note("restored", JSON.stringify(firstCells("sends").map(Number)) === JSON.stringify(before));

        const filter = document.querySelector("#statistics input");
        filter.value = "gpu3 up payload";
        filter.dispatchEvent(new Event("input"));
        note("filtered", document.querySelectorAll("#statistics tbody tr").length);

        const data = document.querySelector("#curve details");
        data.open = true;
        await new Promise((resolve) => setTimeout(resolve, 100));
        note("data-rows", data.querySelectorAll("tbody tr").length);

        const lineColour = () => document.querySelector('#curve svg path[fill="none"][d*="C"], #curve svg path[fill="none"][stroke-width="2"]')
            ?.getAttribute("stroke");
        const theme = document.getElementById("theme");
        theme.click();
        note("light", `${document.documentElement.dataset.theme} ${lineColour()}`);
        theme.click();
        note("dark", `${document.documentElement.dataset.theme} ${lineColour()}`);

        const canvases = [...document.querySelectorAll(".canvas")];
        const charts = canvases.map((canvas) => echarts.getInstanceByDom(canvas)).filter(Boolean);
        for (const chart of charts) {
            chart.dispatchAction({type: "showTip", seriesIndex: 0, dataIndex: 3});
        }
        note("tips", document.querySelectorAll(".canvas .tip strong").length);
        for (const [name, part] of [["tip-link", "g.link:nth-of-type(2)"], ["tip-node", "g.node"]]) {
            document.querySelector(`#tree-fastest ${part}`).dispatchEvent(new PointerEvent("pointermove", {clientX: 40, clientY: 40}));
            note(name, document.querySelector(".tooltip").textContent);
        }

        window.dispatchEvent(new Event("beforeprint"));
        note("paper", `${lineColour()} ${new Set(canvases.map((canvas) => canvas.clientWidth)).size}`);
        window.dispatchEvent(new Event("afterprint"));
        note("screen", lineColour());

        for (const b of [...document.querySelectorAll(".tools button")]) {
            if (["SVG", "CSV", "report.json"].includes(b.textContent)) {
                b.click();
            }
        }
        let drawings = 0;
        let bad = "";
        let tables = 0;
        for (const blob of blobs) {
            const text = blob.content;
            if (blob.fileName.endsWith(".svg")) {
                const svg = new DOMParser().parseFromString(text, "image/svg+xml");
                const shapes = svg.querySelectorAll("path, rect, line").length;
                if (svg.querySelector("parsererror") || shapes < 10 || !/viewBox/.test(text) || /NaN|undefined/.test(text)) {
                    bad += `${blob.fileName} `;
                }
                drawings += 1;
            } else if (blob.fileName.endsWith(".csv")) {
                const lines = text.trimEnd().split("\r\n");
                if (lines.length < 3 || /undefined|NaN|\[object/.test(text)) {
                    bad += `${blob.fileName} `;
                }
                tables += 1;
            } else if (JSON.parse(text).schema !== "contraflow-report/1") {
                bad += `${blob.fileName} `;
            }
        }
        note("drawings", drawings);
        note("tables", tables);
        note("bad-exports", bad);
        const curve = blobs.find((b) => b.fileName === "curve.csv").content;
        note("csv", curve.split("\r\n").slice(0, 2).join("|"));
    };
    run().then(() => note("done", "true"), (error) => note("done", error.stack));
})();
