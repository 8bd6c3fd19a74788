<?php
// What is written in PHP above SWIG's functions: MindTorch\Torch, with every operator, and MindTorch\Error.

declare(strict_types=1);

namespace MindTorch;

/** An error of the library: torch's text, and Python's name of its type. */
class Error extends \RuntimeException
{
    public string $kind = 'RuntimeError';
}

/** Every operator is a static method, and a method of its first tensor: Torch::cat([$x, $y], dim: 1), $x->sum([1], keepdim: true). */
final class Torch
{
    private static array $dtypes = [];

    public static function __callStatic(string $name, array $arguments): mixed
    {
        return \mindtorch_call($name, '', $arguments);
    }

    /** One overload, '' for any. */
    public static function call(string $name, string $overload, mixed ...$arguments): mixed
    {
        return \mindtorch_call($name, $overload, $arguments);
    }

    /** A tensor of nested arrays or of a number: floats are float32, integers int64, booleans bool. */
    public static function tensor(mixed $values, ?string $dtype = null, bool $requiresGrad = false): \Tensor
    {
        $sizes = [];
        for ($level = $values; is_array($level); $level = $level[0] ?? null) {
            $sizes[] = count($level);
        }
        $list = is_array($values) ? self::flatten($values, $sizes) : [$values];
        $isBool = $list !== [] && array_filter($list, 'is_bool') === $list;
        foreach ($list as $item) {
            if (!is_int($item) && !is_float($item) && !is_bool($item)) {
                throw self::error('TypeError', "a tensor's elements are numbers or booleans, not " . get_debug_type($item));
            }
        }
        $isWhole = $list !== [] && array_filter($list, 'is_int') === $list;
        $packed = $isWhole ? pack('q*', ...$list) : pack('d*', ...array_map('floatval', $list));
        $made = \tensor_from_bytes($packed, $sizes, $isWhole ? MT_INT64 : MT_FLOAT64);
        $made = $made->to(dtype: $dtype ?? ($isBool ? 'bool' : ($isWhole ? 'int64' : 'float32')));
        if ($requiresGrad) {
            \tensor_set_requires_grad($made, 1);
        }
        return $made;
    }

    private static function flatten(array $values, array $sizes): array
    {
        if (count($values) !== $sizes[0]) {
            throw self::error('ValueError', 'the arrays have different sizes');
        }
        if (count($sizes) === 1) {
            if (array_filter($values, 'is_array') !== []) {
                throw self::error('ValueError', 'the arrays have different sizes');
            }
            return array_values($values);
        }
        $rest = array_slice($sizes, 1);
        return array_merge(...array_map(fn ($row) => is_array($row)
            ? self::flatten($row, $rest)
            : throw self::error('ValueError', 'the arrays have different sizes'), $values));
    }

    /** A tensor of packed elements: Torch::fromBytes(pack('f*', 1, 2), [2], 'float32'). */
    public static function fromBytes(string $bytes, array $sizes, string $dtype): \Tensor
    {
        if (self::$dtypes === []) {
            for ($number = 0; $number < 64; $number++) {
                self::$dtypes[\mt_dtype_name($number) ?? "none $number"] = $number;
            }
        }
        $number = self::$dtypes[$dtype] ?? throw self::error('TypeError', "there is no dtype $dtype");
        return \tensor_from_bytes($bytes, $sizes, $number);
    }

    /** The elements as nested arrays; of a tensor without dimensions, its number. */
    public static function toArray(\Tensor $tensor): mixed
    {
        $dtype = self::dtype($tensor);
        $list = $dtype === 'int64' ? array_values(unpack('q*', \tensor_to_bytes($tensor))) : \tensor_to_doubles($tensor);
        if ($dtype === 'bool') {
            $list = array_map('boolval', $list);
        }
        $sizes = \tensor_sizes($tensor);
        for ($dim = count($sizes) - 1; $dim > 0; $dim--) {
            $list = $sizes[$dim] === 0 ? array_fill(0, array_product(array_slice($sizes, 0, $dim)), []) : array_chunk($list, $sizes[$dim]);
        }
        return $sizes === [] ? $list[0] : $list;
    }

    /** The number of a tensor with one element. */
    public static function item(\Tensor $tensor): int|float|bool
    {
        \tensor_item($tensor);
        return self::toArray($tensor->reshape([]));
    }

    public static function shape(\Tensor $tensor): array
    {
        return \tensor_sizes($tensor);
    }

    public static function dtype(\Tensor $tensor): string
    {
        return \mt_dtype_name(\tensor_get_info($tensor)->dtype);
    }

    public static function text(\Tensor $tensor): string
    {
        $sizes = \tensor_sizes($tensor);
        $kind = 'tensor ' . self::dtype($tensor) . ' ' . json_encode($sizes);
        return array_product($sizes) > 1000 ? $kind : "$kind: " . json_encode(self::toArray($tensor));
    }

    public static function requireGrad(\Tensor $tensor, bool $on = true): \Tensor
    {
        \tensor_set_requires_grad($tensor, (int) $on);
        return $tensor;
    }

    public static function backward(\Tensor $tensor): void
    {
        \backward($tensor);
    }

    public static function grad(\Tensor $tensor): ?\Tensor
    {
        return \tensor_grad($tensor);
    }

    public static function setGrad(\Tensor $tensor, ?\Tensor $gradient): void
    {
        \tensor_set_grad($tensor, $gradient);
    }

    /** Calls the function with the tensor's gradient, which a tensor that it returns replaces. The number is removeHook's. */
    public static function onGradient(\Tensor $tensor, callable $hook): int
    {
        return \mindtorch_on_gradient($tensor, $hook);
    }

    public static function removeHook(\Tensor $tensor, int $number): void
    {
        \tensor_remove_hook($tensor, $number);
    }

    /**
     * Defines an operator: define('my::twice(Tensor x) -> Tensor', fn ($x) => $x * 2). Without a derivative, the operators that it calls are
     * differentiated; a derivative gets arrays of gradients, arguments and results, and returns a gradient or null for each argument.
     */
    public static function define(string $schema, callable $function, ?callable $derivative = null): void
    {
        \mindtorch_define($schema, $function, $derivative);
    }

    /** Calls the function without recording gradients. */
    public static function noGrad(callable $function): mixed
    {
        $before = \mode_get(MT_MODE_GRAD);
        \mode_set(MT_MODE_GRAD, 0);
        try {
            return $function();
        } finally {
            \mode_set(MT_MODE_GRAD, $before);
        }
    }

    public static function manualSeed(int $seed): void
    {
        \generator_seed(\generator_default(), $seed);
    }

    /** The tensors of a file of torch, safetensors, NumPy or GGUF, by name. */
    public static function load(string $path): array
    {
        $found = \load_tensors($path);
        $tensors = [];
        for ($i = 0; $i < $found->size(); $i++) {
            $tensors[$found->name($i)] = $found->get($i);
        }
        return $tensors;
    }

    /** Saves tensors by name, in the format 'safetensors' or 'torch'. */
    public static function save(string $path, array $tensors, string $format = 'safetensors'): void
    {
        if (!in_array($format, ['safetensors', 'torch'], true)) {
            throw self::error('ValueError', "a format is safetensors or torch, not $format");
        }
        $named = new \NamedTensors();
        foreach ($tensors as $name => $tensor) {
            $named->add((string) $name, $tensor);
        }
        $named->save($path, $format === 'torch');
    }

    private static function error(string $kind, string $message): Error
    {
        $error = new Error($message);
        $error->kind = $kind;
        return $error;
    }
}
