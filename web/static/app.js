// Draws the charts of a page from the data beside them, in the colours of the style sheet, and draws them anew when the
// colour scheme or the width changes. Pages work without it: every chart has its table.
(function () {
  "use strict";
  var scheme = window.matchMedia("(prefers-color-scheme: dark)");
  var print = window.matchMedia("print");

  // resolve looks up the colours that an option names as variables of the style sheet.
  function resolve(value, style) {
    if (typeof value === "string" && value.indexOf("var(") === 0) {
      return style.getPropertyValue(value.slice(4, -1)).trim();
    }
    if (Array.isArray(value)) {
      return value.map(function (v) { return resolve(v, style); });
    }
    if (value && typeof value === "object") {
      var copy = {};
      Object.keys(value).forEach(function (key) { copy[key] = resolve(value[key], style); });
      return copy;
    }
    return value;
  }

  function draw(box) {
    var data = JSON.parse(document.getElementById(box.dataset.chart).textContent);
    var style = getComputedStyle(document.documentElement);
    var option = resolve(data.option, style);
    option.tooltip.renderMode = "richText"; // markup with styles is what the content policy forbids
    option.tooltip.confine = true;
    option.tooltip.backgroundColor = style.getPropertyValue("--card").trim();
    option.tooltip.textStyle = { color: style.getPropertyValue("--ink").trim() };
    if (data.tips) {
      option.tooltip.formatter = function (points) { return data.tips[points[0].dataIndex] || ""; };
    }
    (option.xAxis || []).forEach(function (axis) { axis.nameTextStyle = { color: style.getPropertyValue("--muted").trim() }; });
    option.textStyle = { fontFamily: style.getPropertyValue("--sans").trim() };
    var chart = echarts.getInstanceByDom(box) || echarts.init(box, null);
    chart.setOption(option, true);
    return chart;
  }

  function start() {
    if (typeof echarts === "undefined") { return; }
    var boxes = Array.prototype.slice.call(document.querySelectorAll("[data-chart]"));
    var observer = new ResizeObserver(function (entries) {
      entries.forEach(function (entry) {
        var chart = echarts.getInstanceByDom(entry.target);
        if (chart) { chart.resize(); }
      });
    });
    boxes.forEach(function (box) {
      draw(box);
      observer.observe(box);
    });
    var again = function () { boxes.forEach(draw); };
    scheme.addEventListener("change", again);
    print.addEventListener("change", again);
  }

  if (document.readyState === "loading") {
    document.addEventListener("DOMContentLoaded", start);
  } else {
    start();
  }
})();
