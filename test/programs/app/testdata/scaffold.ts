// Serves callers of v1.0.0 of the handler shop-users on v2.0.0.

type OldInput = { name: string };

type NewInput = { fullName: string };

type OldOutput = { id: string, name: string };

type NewOutput = { fullName: string, id: string };

/** Turns a request of v1.0.0 into one of v2.0.0. */
export function shopUsersUp(body: OldInput & Record<string, any>): NewInput {
  return {
    ...body,
    // TODO new-required-request-property: the new schema requires the property "fullName"; the old one did not
    //   for example {"name":"a"}
    fullName: body.fullName,
  };
}

/** Turns a response of v2.0.0 into one of v1.0.0. */
export function shopUsersDown(body: NewOutput & Record<string, any>): OldOutput {
  return {
    ...body,
    // TODO response-required-property-removed: the old schema requires the property "name"; the new one does not
    //   for example {"fullName":"a","id":"a"}
    name: body.name,
  };
}
