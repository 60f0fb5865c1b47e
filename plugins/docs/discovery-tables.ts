import { type FoundKind, foundConsumers, type PlaceLine, type PlacesTable, placeText, shapeOf } from 'kern/contracts';
import { code, table } from './blocks.ts';

/** Where kern looks: of each provider its places, from the table that it reads them by. */
export function placesTables(providers: readonly PlacesTable[]): readonly string[] {
  const sorted = providers.toSorted((a, b) => b.priority - a.priority || (a.id < b.id ? -1 : 1));
  const overview = table(
    ['provider', 'of', 'priority', 'what'],
    sorted.map(({ id, displayName, priority, places }) => [code(id), displayName, String(priority), kindList(places)]),
  );
  return [...overview, ...sorted.flatMap(sectionOf)];
}

const kindList = (places: readonly PlaceLine[]): string => [...new Set(places.map(({ kind }) => code(kind)))].join(' ');

function sectionOf({ id, displayName, description, folders, places }: PlacesTable): readonly string[] {
  const rows = places.map((place) => [code(place.kind), placeText(place), shapeOf(place)]);
  const moved = Object.entries(folders ?? {}).map(
    ([variable, folder]) => `Where \`${variable}\` is set, it stands in for \`${folder}\`.`,
  );
  return [
    '',
    `### ${displayName} (${code(id)})`,
    '',
    [description, ...moved].join(' '),
    '',
    ...table(['kind', 'where', 'what is in it'], rows),
  ];
}

/** What becomes of each kind. */
export const kindsTable = (): readonly string[] =>
  table(
    ['kind', 'what becomes of it', 'by the plugin'],
    (Object.keys(foundConsumers) as FoundKind[]).map((kind) => {
      const { plugin, does } = foundConsumers[kind];
      return [code(kind), does, code(plugin)];
    }),
  );
