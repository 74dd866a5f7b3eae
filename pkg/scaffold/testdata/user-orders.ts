// Serves callers of v1.0.0 of the handler user-orders on v2.0.0.

type OldInput = { items?: Array<{ zip?: string }>, kind?: "person" | "company" | "robot", name?: string };

type NewInput = { "full name": string, items?: Array<{ code: string | null }>, kind?: "person" | "company", locale: string };

type OldOutput = { name: string, tags?: Record<string, { at: number }> };

type NewOutput = { "full name": string, tags?: Record<string, { at?: number }> };

/** Turns a request of v1.0.0 into one of v2.0.0. */
export function userOrdersUp(body: OldInput & Record<string, any>): NewInput {
  return {
    ...body,
    // TODO new-required-request-property: the new schema requires the property "full name"; the old one did not
    //   for example {}
    ["full name"]: body["full name"],
    items: body.items?.map((item2: any) => {
      return item2 && {
        ...item2,
        // TODO new-required-request-property: the new schema requires the property "code"; the old one did not
        //   for example {"items":[{}]}
        code: item2.code,
      };
    }),
    // TODO request-property-enum-value-removed: the new schema requires one of "person", "company"; the old one also has "robot"
    //   for example {"kind":"robot"}
    kind: body.kind,
    // TODO new-required-request-property: the new schema requires the property "locale"; the old one did not
    //   for example {}
    locale: body.locale,
  };
}

/** Turns a response of v2.0.0 into one of v1.0.0. */
export function userOrdersDown(body: NewOutput & Record<string, any>): OldOutput {
  return {
    ...body,
    // TODO response-required-property-removed: the old schema requires the property "name"; the new one does not
    //   for example {"full name":"a"}
    name: body.name,
    tags: body.tags && Object.fromEntries(Object.entries(body.tags).map(([key2, item2]) => {
      return [key2, item2 && {
        ...item2,
        // TODO response-property-became-optional: the old schema requires the property "at"; the new one does not
        //   for example {"full name":"a","tags":{"a":{}}}
        at: item2.at,
      }];
    })),
  };
}
