// Draws the charts of a page from the data beside them, in the colours of the style sheet, and draws them anew when the
// colours or the width change. Pages work without it: every chart has its table.
(function () {
  "use strict";
  var scheme = window.matchMedia("(prefers-color-scheme: dark)");
  var print = window.matchMedia("print");

  // colour is what a variable of the style sheet stands for now, light or dark.
  var probe = document.createElement("span");
  function colour(value) {
    probe.style.color = value;
    return getComputedStyle(probe).color;
  }

  // resolve looks up the colours that an option names as variables of the style sheet.
  function resolve(value) {
    if (typeof value === "string" && value.indexOf("var(") === 0) {
      return colour(value);
    }
    if (Array.isArray(value)) {
      return value.map(resolve);
    }
    if (value && typeof value === "object") {
      var copy = {};
      Object.keys(value).forEach(function (key) { copy[key] = resolve(value[key]); });
      return copy;
    }
    return value;
  }

  // lead opens what a point or a bar counts, where a pointer is fine enough to mean it. The table has the same links.
  function lead(box, index) {
    var links = JSON.parse(document.getElementById(box.dataset.chart).textContent).links;
    if (links && links[index] && window.matchMedia("(hover: hover)").matches) { location.href = links[index]; }
  }

  // squeeze makes room in a narrow chart: the legend keeps to one line, and a moment's name is cut.
  var narrow = 480;
  function squeeze(option) {
    option.legend.type = "scroll";
    option.legend.pageTextStyle = { color: colour("var(--muted)") };
    option.legend.pageIconColor = colour("var(--link)");
    option.legend.pageIconInactiveColor = colour("var(--line)");
    option.xAxis.forEach(function (axis) { axis.axisLabel.fontSize = 10; });
    option.series.forEach(function (series) {
      (series.markLine && series.markLine.data || []).forEach(function (moment) {
        if (!moment.label) { return; } // an interval
        moment.label.width = 90;
        moment.label.overflow = "truncate";
      });
    });
  }

  function draw(box) {
    var data = JSON.parse(document.getElementById(box.dataset.chart).textContent);
    var style = getComputedStyle(document.documentElement);
    document.body.appendChild(probe);
    var option = resolve(data.option);
    option.tooltip.renderMode = "richText"; // markup with styles is what the content policy forbids
    option.tooltip.confine = true;
    option.tooltip.backgroundColor = colour("var(--card)");
    option.tooltip.textStyle = { color: colour("var(--ink)") };
    if (data.tips) {
      option.tooltip.formatter = function (points) { return data.tips[points[0].dataIndex] || ""; };
    }
    (option.xAxis || []).forEach(function (axis) { axis.nameTextStyle = { color: colour("var(--muted)") }; });
    if (box.clientWidth < narrow) { squeeze(option); }
    option.textStyle = { fontFamily: style.getPropertyValue("--sans").trim() };
    var chart = echarts.getInstanceByDom(box);
    if (!chart) {
      chart = echarts.init(box, null);
      chart.on("click", function (event) { lead(box, event.dataIndex); });
    }
    box.classList.toggle("leads", Boolean(data.links));
    chart.setOption(option, true);
    probe.remove();
    return chart;
  }

  function start() {
    if (typeof echarts === "undefined") { return; }
    var observer = new ResizeObserver(function (entries) {
      entries.forEach(function (entry) {
        var chart = echarts.getInstanceByDom(entry.target);
        if (chart) { chart.resize(); }
      });
    });
    var each = function (root, does) { Array.prototype.forEach.call(root.querySelectorAll("[data-chart]"), does); };
    var fresh = function (box) {
      draw(box);
      observer.observe(box);
    };
    var again = function () { each(document, draw); };
    each(document, fresh);
    scheme.addEventListener("change", again);
    print.addEventListener("change", again);
    document.addEventListener("errata:theme", again);
    document.addEventListener("errata:chart", function (event) { fresh(event.target); });
  }

  if (document.readyState === "loading") {
    document.addEventListener("DOMContentLoaded", start);
  } else {
    start();
  }
})();
