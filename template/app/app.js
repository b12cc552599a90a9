// The script of the page at /app/: a list that stays current, a form with the rules of the
// server, a conflict of two editors, and an upload. There is no build; delete it, or begin here.
import { connect, rules } from "../client.js";

const $ = (id) => document.getElementById(id);
const api = connect({ url: "..", token: () => sessionStorage.getItem("token") });

function element(tag, properties, ...children) {
  const e = Object.assign(document.createElement(tag), properties);
  e.append(...children);
  return e;
}

// say shows an error, and asks for a token where one is missing.
function say(error) {
  $("login").hidden = error.code !== "UNAUTHENTICATED";
  $("status").textContent = error.message;
}

// show adds a todo to the list, or replaces it there.
function show(todo) {
  const text = element("span", { className: todo.completed ? "done" : "" }, todo.title);
  const line = element("li", { id: `todo-${todo.id}`, title: todo.description ?? "" }, text,
    element("button", { onclick: () => edit(todo.id) }, "Edit"),
    element("button", { onclick: () => remove(todo.id) }, "Delete"));
  const old = $(line.id);
  if (old) old.replaceWith(line);
  else $("todos").append(line);
}

// edit replaces the line of a todo with a form. The ETag of what it shows goes with the change, so
// that the change of somebody else in between is not lost.
async function edit(id, problem = "") {
  const got = await api.todos.get.try({ id });
  if (!got.ok) return say(got.error);
  const todo = got.value;
  const title = element("input", { ...rules.UpdateTodo.title, value: todo.title, ariaLabel: "Title" });
  const completed = element("input", { type: "checkbox", checked: todo.completed });
  const error = element("p", { className: "error" }, problem);
  const form = element("form", { noValidate: true }, title, element("label", {}, completed, " completed"), error, element("button", {}, "Save"));
  form.onsubmit = async (event) => {
    event.preventDefault();
    const saved = await api.todos.update.try({ id, title: title.value, completed: completed.checked, ifMatch: todo.eTag });
    if (saved.ok) show(saved.value);
    else if (saved.error.reason === "todo_changed") edit(id, "Somebody has changed it. This is how it is now.");
    else error.textContent = saved.error.at("/title") ?? saved.error.message;
  };
  $(`todo-${id}`).replaceChildren(form);
}

async function remove(id) {
  const gone = await api.todos.delete.try({ id });
  if (gone.ok || gone.error.reason === "no_todo") $(`todo-${id}`).remove();
  else say(gone.error);
}

// The fields of the form get the rules of the server, and its violations when it finds some.
Object.assign($("title"), rules.CreateTodo.title);
Object.assign($("description"), rules.CreateTodo.description);
$("create").onsubmit = async (event) => {
  event.preventDefault();
  const { title, description } = event.target.elements;
  const made = await api.todos.create.try({ title: title.value, description: description.value });
  for (const field of [title, description]) {
    const problem = made.ok ? undefined : made.error.at(`/${field.name}`);
    $(`${field.name}-error`).textContent = problem ?? "";
    field.ariaInvalid = String(problem !== undefined);
  }
  if (made.ok) event.target.reset(); // the stream below shows it
  else if (made.error.code !== "INVALID_ARGUMENT") say(made.error);
};

$("table").accept = rules.ImportTodos.table.accept;
$("import").onsubmit = async (event) => {
  event.preventDefault();
  const table = new Blob([$("table").files[0]], { type: "text/csv" }); // some systems have another type for it
  const onProgress = (sent, total) => ($("progress").value = sent / total);
  const done = await api.todos.import.try({ table }, { onProgress });
  if (done.ok) $("status").textContent = `${done.value.imported} todos were added.`;
  else say(done.error);
};

// All pages of the list, and then each new todo. The stream does not end: it goes on where a
// connection broke.
async function follow() {
  let after = "0";
  try {
    for await (const todo of api.todos.list.all()) {
      show(todo);
      after = todo.id;
    }
    for await (const todo of api.todos.watch({ after })) show(todo);
  } catch (error) {
    say(error);
  }
}
$("login").onsubmit = (event) => {
  event.preventDefault();
  sessionStorage.setItem("token", $("token").value);
  $("login").hidden = true;
  follow();
};
follow();
