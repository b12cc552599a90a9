// The three screens of a product with TanStack Query, Vue Query and SWR: a list that loads more, a form with an
// optimistic update and a rollback, and a page that is rendered on a server and goes on in the browser. It is only
// compiled: a row behind @ts-expect-error that compiles is an error of tsc. The lines between the marks are all that
// stands between a library and the client.
import { QueryClient, dehydrate, infiniteQueryOptions, queryOptions, useInfiniteQuery, useMutation, useQuery, useSuspenseQuery } from "@tanstack/react-query";
import { useInfiniteQuery as useVuePages, useMutation as useVueMutation, useQuery as useVueQuery } from "@tanstack/vue-query";
import useSWR from "swr";
import useSWRInfinite from "swr/infinite";
import useSWRMutation from "swr/mutation";
import { CallError, connect, type PatchTicket, type Ticket } from "./dist/desk/client.ts";

const api = connect({ url: "/" });
const cache = new QueryClient();

// glue: begin
const ticket = (id: number) => queryOptions(api.tickets.get.query({ id }));
const tickets = infiniteQueryOptions(api.tickets.list.pages({ per_page: 20 }));
// glue: end

export function List(): string[] {
  const { data, error, fetchNextPage, hasNextPage } = useInfiniteQuery(tickets);
  if (hasNextPage) void fetchNextPage();
  const feed = useInfiniteQuery(api.tickets.feed.pages({ limit: 5 }));
  const shown = [...(data?.pages ?? []), ...(feed.data?.pages ?? [])].flatMap((page) => page.data);
  return [error?.message ?? "", ...shown.map((t) => t.title)];
}

export function Form(id: number): (patch: PatchTicket) => void {
  const { mutate } = useMutation({
    mutationFn: api.tickets.patch,
    async onMutate(patch) {
      const { queryKey } = ticket(patch.id);
      await cache.cancelQueries({ queryKey });
      const before = cache.getQueryData(queryKey);
      cache.setQueryData(queryKey, (t) => t && { ...t, title: patch.title ?? t.title });
      return { before };
    },
    onError: (error, patch, context) => {
      cache.setQueryData(ticket(patch.id).queryKey, context?.before);
      if (error instanceof CallError) void error.at("/title");
    },
    onSettled: (_, __, patch) => cache.invalidateQueries(ticket(patch.id)),
  });
  mutate({ id, title: "Lamp" });
  return mutate;
}

/** On a server, where connect has another url. */
export async function render(id: number): Promise<unknown> {
  const inside = connect({ url: "http://tickets.internal" });
  await cache.prefetchQuery(inside.tickets.get.query({ id }));
  return dehydrate(cache);
}

export function Page(id: number): Ticket | string {
  const { data, error } = useQuery(api.tickets.get.query({ id }));
  if (error?.reason === "no_ticket") return "it is gone";
  // @ts-expect-error a reason that is none
  if (error?.reason === "no_tickets") return "";
  // @ts-expect-error a member that is none
  void data?.titel;
  // @ts-expect-error what is not the output of the method
  cache.setQueryData(ticket(id).queryKey, "no ticket");
  // @ts-expect-error what is not a list of pages
  cache.setQueryData(tickets.queryKey, "no tickets");
  return useSuspenseQuery(ticket(id)).data;
}

export function vue(): (string | undefined)[] {
  const page = useVuePages(api.tickets.list.pages());
  const one = useVueQuery(api.tickets.get.query({ id: 1 }));
  useVueMutation({ mutationFn: api.tickets.create }).mutate({ title: "Lamp" });
  return [one.data.value?.title, one.error.value?.reason, page.data.value?.pages[0]?.data[0]?.title];
}

export function swr(): (string | undefined)[] {
  const one = api.tickets.get.query({ id: 1 });
  const pages = api.tickets.list.pages({ per_page: 20 });
  type Page = Awaited<ReturnType<typeof pages.queryFn>>;
  const list = useSWRInfinite(
    (_, before: Page | null) => {
      const pageParam = before ? pages.getNextPageParam(before) : pages.initialPageParam;
      return pageParam === undefined ? null : { key: pages.queryKey, pageParam };
    },
    ({ pageParam }) => pages.queryFn({ pageParam }),
  );
  void useSWRMutation(one.queryKey, (_, { arg }: { arg: PatchTicket }) => api.tickets.patch(arg)).trigger({ id: 1, title: "x" });
  return [useSWR(one.queryKey, () => one.queryFn()).data?.title, list.data?.[0]?.data[0]?.title];
}
