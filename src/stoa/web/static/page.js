(() => {
  const all = (what) => [...document.querySelectorAll(what)];
  const make = (tag, given) => Object.assign(document.createElement(tag), given);
  const find = document.getElementById("find");

  // Times: how long ago, and when in the reader's zone; what is seen on hover alone waits for that. `Intl` would block a slow phone for longer than all else.
  const steps = [["year", 31557600], ["month", 2629800], ["week", 604800], ["day", 86400], ["hour", 3600], ["minute", 60]];
  const relative = (time) => {
    const seconds = (time - Date.now()) / 1000;
    const step = steps.find(([, length]) => Math.abs(seconds) >= length);
    if (!step) return "just now";
    const count = Math.trunc(Math.abs(seconds) / step[1]);
    const long = `${count} ${step[0]}${count === 1 ? "" : "s"}`;
    return seconds < 0 ? `${long} ago` : `in ${long}`;
  };
  const two = (number) => String(number).padStart(2, "0");
  const exact = (time) => {
    const at = new Date(time);
    const [, month, , year] = at.toDateString().split(" ");
    return `${at.getDate()} ${month} ${year}, ${two(at.getHours())}:${two(at.getMinutes())}`;
  };
  const written = all("time[datetime]").map((one) => [one, one.textContent, Boolean(one.title)]);
  const tell = () => {
    for (const [one, , day] of written) {
      const time = Date.parse(one.dateTime);
      if (day) one.textContent = relative(time);
      else [one.textContent, one.title] = [exact(time), relative(time)];
    }
  };
  tell();
  setInterval(tell, 60_000);
  // On paper stands when it was, as the server wrote it.
  addEventListener("beforeprint", () => {
    for (const [one, text] of written) one.textContent = text;
  });
  addEventListener("afterprint", tell);
  addEventListener("mouseover", ({ target }) => {
    if (target.matches("time[title$=UTC]")) target.title = `${exact(Date.parse(target.dateTime))}, your time`;
  });

  // Code can be copied.
  if (navigator.clipboard) {
    for (const code of all("main pre, .prompt")) {
      const button = make("button", { type: "button", className: "copy", textContent: "Copy" });
      button.onclick = async () => {
        await navigator.clipboard.writeText(code.textContent);
        button.textContent = "Copied";
      };
      code.before(button);
    }
  }

  // Keys, for those who like them.
  const keys = [["/", "search"], ["j and k", "next and previous in a list or thread"], ["o", "open it"], ["?", "these keys"], ["Esc", "close"]];
  let help;
  const helped = () => {
    const list = make("dl", { className: "facts" });
    for (const [key, does] of keys) {
      const row = make("div");
      row.append(make("dt", { textContent: key }), make("dd", { textContent: does }));
      list.append(row);
    }
    const close = make("button", { type: "button", textContent: "Close" });
    const turn = make("button", { type: "button" });
    const named = () => (turn.textContent = `Turn letter keys ${localStorage.keys ? "on" : "off"}`);
    turn.onclick = () => {
      localStorage.keys = localStorage.keys ? "" : "off";
      named();
    };
    named();
    const made = make("dialog", { id: "keys", ariaLabel: "Keys" });
    close.onclick = () => made.close();
    made.append(make("h2", { textContent: "Keys" }), list, turn, " ", close);
    document.body.append(made);
    return made;
  };
  const move = (by) => {
    const places = all(".row .title a, .reply > .said > .by > a[itemprop=url]");
    const next = places[Math.max(0, places.indexOf(document.activeElement) + by)];
    if (next) next.focus();
  };
  const does = {
    "/": () => find.focus(),
    j: () => move(1),
    k: () => move(-1),
    o: () => document.activeElement.click(),
    "?": () => (help ??= helped()).showModal(),
  };
  addEventListener("keydown", (event) => {
    const typing = event.target.closest("input, select, textarea, dialog");
    if (localStorage.keys && event.key !== "?") return;
    if (typing || event.ctrlKey || event.metaKey || event.altKey || !Object.hasOwn(does, event.key)) return;
    event.preventDefault();
    does[event.key]();
  });

  // A thread that is open tells of new replies, once a minute while it is seen.
  const thread = document.querySelector("[data-thread]");
  if (thread) {
    const known = Number(thread.dataset.replies);
    const news = make("p", { className: "news" });
    news.setAttribute("role", "status");
    thread.append(news);
    setInterval(async () => {
      if (document.hidden) return;
      try {
        const answer = await fetch(`/api/v1/threads/${thread.dataset.thread}?view=lean&excerpt=40`);
        const more = answer.ok ? ((await answer.json()).thread.replyCount ?? 0) - known : 0;
        if (more < 1) return;
        const text = `${more} new ${more === 1 ? "reply" : "replies"}`;
        const last = [...thread.querySelectorAll(".reply")].pop();
        const link = make("a", { href: thread.dataset.newest || location.pathname + location.search, textContent: text });
        link.onclick = (event) => {
          if (thread.dataset.newest || !last) return;
          event.preventDefault();
          location.hash = last.id;
          location.reload();
        };
        news.replaceChildren(link);
      } catch {} // the next minute may do
    }, 60_000);
  }
})();
