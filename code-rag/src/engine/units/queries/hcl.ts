import type { UnitQuery } from "../unit-query.ts";

export const hcl: UnitQuery = {
  query: `
    (config_file (body (block
      . (identifier) @name
      . [(string_lit) (identifier)]* @name
      . (block_start) @body) @block))

    (comment) @comment

    (config_file (body (attribute (identifier) @define)))
    (config_file (body (block (identifier) @_locals (body (attribute . (identifier) @define))
      (#eq? @_locals "locals"))))

    (function_call . (identifier) @call)
    (expression . (variable_expr (identifier)) . (get_attr (identifier) @call))
    (config_file (body (block
      (identifier) @_module
      (body (attribute . (identifier) @_source (expression (literal_value (string_lit) @import))))
      (#eq? @_module "module")
      (#eq? @_source "source"))))

    (ERROR) @error
    (MISSING) @error
  `,
  separator: () => ".",
  qualifier: ".",
  cleanName: address,
};

/** The address that Terraform's expressions use: `aws_s3_bucket.logs`, `data.aws_ami.base`, `var.region`, `module.vpc`. */
function address(text: string): string {
  const [type, ...labels] = text.match(/[^\s"]+/g) ?? [];
  if (type === "resource" && labels.length > 0) return labels.join(".");
  return [type === "variable" && labels.length > 0 ? "var" : type, ...labels].join(".");
}
