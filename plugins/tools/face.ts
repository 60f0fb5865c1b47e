import type { View } from 'kern/plugin';
import { z } from 'zod';
import { type AnyTool, type ToolFace, tools } from './contract.ts';
import { isRecord, type JsonSchema, tidied } from './json-schema.ts';

/** What the model sees of a tool. */
export function faceOf(tool: AnyTool): ToolFace {
  return Object.freeze({ name: tool.name, description: tool.description, inputSchema: inputSchemaOf(tool) });
}

/** Faces by tool, each made once: who sends tools with every request keeps one of these. */
export function createFaces(): (tool: AnyTool) => ToolFace {
  const known = new WeakMap<AnyTool, ToolFace>();
  return (tool) => {
    let face = known.get(tool);
    if (face === undefined) {
      face = faceOf(tool);
      known.set(tool, face);
    }
    return face;
  };
}

/** The faces of the tools that a view offers to the model. Others are there when they are asked for by name. */
export function toolFaces(
  view: View,
  face: (tool: AnyTool) => ToolFace = faceOf,
  named: ReadonlySet<string> = new Set(),
): readonly ToolFace[] {
  const all = view.use(tools).items();
  const offered = (tool: AnyTool): boolean =>
    named.has(tool.name) || (tool.hidden !== true && tool.defaultActive !== false);
  const hasDeferrable = all.some((tool) => tool.deferrable === true && offered(tool));
  const isPlanning = view.ui.available && isInPlanMode(view);
  return all
    .filter((tool) => {
      if (tool.name === 'resolve') return hasDeferrable;
      // Of use only where somebody can be asked.
      if (tool.name === 'exit_plan_mode' && isPlanning) return true;
      return offered(tool);
    })
    .map(face);
}

/** The arguments of a tool as JSON Schema: as given, else made from its zod type, else asked of the schema's library. */
export function inputSchemaOf(tool: AnyTool): JsonSchema {
  if (tool.inputSchema !== undefined) return tool.inputSchema;
  const { parameters } = tool;
  if (isZod(parameters))
    return tidied(z.toJSONSchema(parameters, { io: 'input', target: 'draft-7', unrepresentable: 'any' }));
  return fromLibrary(parameters) ?? { type: 'object' };
}

function isZod(schema: unknown): schema is z.ZodType {
  return typeof schema === 'object' && schema !== null && '_zod' in schema;
}

/** Other libraries say it themselves: https://standardschema.dev/json-schema. */
function fromLibrary(schema: unknown): JsonSchema | undefined {
  if (typeof schema !== 'object' && typeof schema !== 'function') return undefined;
  const standard = schema !== null && '~standard' in schema ? schema['~standard'] : undefined;
  const converter = isRecord(standard) ? standard.jsonSchema : undefined;
  const input = isRecord(converter) ? converter.input : undefined;
  if (typeof input !== 'function') return undefined;
  const made: unknown = Reflect.apply(input, converter, [{ target: 'draft-07' }]);
  return isRecord(made) ? tidied(made) : undefined;
}

/** Settings that cannot be read are the guard's to refuse; here they are no plan. */
function isInPlanMode(view: View): boolean {
  try {
    return view.setting('permissions.mode') === 'plan';
  } catch {
    return false;
  }
}
