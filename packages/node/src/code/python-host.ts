/**
 * Runs a program that it reads from its input, in the sandbox: sets bounds, evaluates the last expression, and writes the
 * figures that are open. Then it writes the mark it was given and a report. All of it is in reach of the program,
 * so that the report is as untrusted as the program.
 */
export const PYTHON_HOST = `
import ast, base64, io, json, os, resource, sys, warnings

mark, bounds = sys.argv[1], json.loads(sys.argv[2])
code = sys.stdin.buffer.read().decode()

for name, most in bounds["limits"].items():
    kind = getattr(resource, "RLIMIT_" + name)
    hard = resource.getrlimit(kind)[1]
    most = most if hard == resource.RLIM_INFINITY else min(most, hard)
    resource.setrlimit(kind, (most, most))

os.chdir("/tmp")
os.environ.update(MPLCONFIGDIR="/tmp/.matplotlib", OPENBLAS_NUM_THREADS="1", OMP_NUM_THREADS="1")
os.mkdir("/tmp/.matplotlib")
with open("/tmp/.matplotlib/matplotlibrc", "w") as settings:
    settings.write("backend: Agg")
warnings.filterwarnings("ignore", message=".*(non-GUI backend|non-interactive)")

def value_of(code):
    scope = {"__name__": "__main__"}
    tree = ast.parse(code, "<code>")
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    exec(compile(tree, "<code>", "exec"), scope)
    return None if last is None else eval(compile(ast.Expression(last.value), "<code>", "eval"), scope)

def shown(value):
    try:
        return json.dumps(value, allow_nan=False)
    except (TypeError, ValueError, RecursionError):
        return repr(value)

def figures():
    pyplot = sys.modules.get("matplotlib.pyplot")
    for number in pyplot.get_fignums()[:bounds["figures"]] if pyplot else []:
        png = io.BytesIO()
        pyplot.figure(number).savefig(png, format="png")
        if png.tell() > bounds["figureBytes"]:
            raise ValueError("figure %d is too large to be shown: make it smaller" % number)
        yield base64.b64encode(png.getvalue()).decode()

def line_of(error):
    if isinstance(error, SyntaxError):
        return error.lineno
    line, at = None, error.__traceback__
    while at:
        if at.tb_frame.f_code.co_filename == "<code>":
            line = at.tb_lineno
        at = at.tb_next
    return line

report = {}
try:
    value = value_of(code)
    if value is not None:
        report["value"] = shown(value)
    report["figures"] = list(figures())
except SystemExit as end:
    if end.code not in (None, 0):
        report["error"] = {"message": "It ended with exit code %s." % end.code}
except BaseException as error:
    report["error"] = {"message": (type(error).__name__ + ": " + str(error)).rstrip(": "), "line": line_of(error)}
for stream in (sys.stdout, sys.stderr):
    stream.flush()
with open(1, "wb") as output:
    output.write((mark + json.dumps(report)).encode())
os._exit(0)
`;
