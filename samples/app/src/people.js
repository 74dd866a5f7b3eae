// The data that the module serves.

const people = [
  ['Ada', 'Lovelace'], ['Grace', 'Hopper'], ['Barbara', 'Liskov'], ['Frances', 'Allen'], ['Radia', 'Perlman'],
];

/** find returns a user: any positive number is somebody's. */
export function find(id) {
  if (!/^[1-9]\d{0,8}$/.test(id)) return null;
  const [given, family] = people[(Number(id) - 1) % people.length];
  return { id, given, family, email: `${given}.${family}@example.com`.toLowerCase() };
}
