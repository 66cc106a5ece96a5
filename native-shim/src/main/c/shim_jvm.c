/* The Java VM: started at the first object, on a thread of its own, which then stays as the helper of shim_upcall.c. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <jni.h>
#include <link.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "shim_jvm.h"

struct mroce_boot mroce_boot;
extern const struct mroce_abi_entry mroce_abi_table[];

enum { VM_STACK = 8 << 20, ASYNC_SLOTS = 65536 };
enum vm_state { VM_NONE, VM_STARTING, VM_RUNNING, VM_FAILED };
static uint32_t state = VM_NONE;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static JavaVM *vm;
static pthread_key_t detach_key;
static char aot_output[4200]; /* not empty: this run trains the AOT cache */
static __thread bool creating __attribute__((tls_model("initial-exec")));

bool mroce_vm_running(void)
{
	return load_acquire(&state) == VM_RUNNING;
}

bool mroce_vm_touched(void)
{
	return load_acquire(&state) != VM_NONE;
}

/* Options for other VMs of this user must not reach ours: -XX:+UseG1GC in JAVA_TOOL_OPTIONS would end the process. Hidden from the thread that
 * creates the VM only; the environment itself is not touched. */
EXPORT char *getenv(const char *name)
{
	static char *(*next)(const char *);

	if (unlikely(creating) &&
	    (!strcmp(name, "JAVA_TOOL_OPTIONS") || !strcmp(name, "_JAVA_OPTIONS") || !strcmp(name, "JDK_JAVA_OPTIONS")))
		return NULL;
	if (unlikely(!next))
		next = (char *(*)(const char *))(uintptr_t)dlsym(RTLD_NEXT, "getenv");
	return next(name);
}

static int find_libjvm(struct dl_phdr_info *object, size_t size, void *found)
{
	const char *slash = strrchr(object->dlpi_name, '/');

	(void)size;
	if (slash && strcmp(slash + 1, "libjvm.so") == 0)
		*(bool *)found = true;
	return 0;
}

static bool process_has_vm(void)
{
	bool found = false;

	dl_iterate_phdr(find_libjvm, &found);
	return found;
}

/* ---- options ---- */

enum { MAX_OPTIONS = 48 };
struct options {
	JavaVMOption list[MAX_OPTIONS];
	int count;
};

static void add_option(struct options *o, char *text)
{
	if (o->count < MAX_OPTIONS)
		o->list[o->count++].optionString = text;
}

static void add_copy(struct options *o, const char *format, const char *value)
{
	char *text;

	if (asprintf(&text, format, value) >= 0)
		add_option(o, text);
}

/* The VM takes the main thread's stack for as long as a Java thread's, and puts its guard pages at that depth: right into the way of a program
 * that recurses deeper than the default of 1 MB. So Java's threads get what the main thread has. */
static void add_stack_size(struct options *o)
{
	enum { MB = 1 << 20, MOST_MB = 256 };
	struct rlimit limit;
	char text[16];
	unsigned long long mb = MOST_MB;

	if (getrlimit(RLIMIT_STACK, &limit) == 0 && limit.rlim_cur < (rlim_t)MOST_MB * MB)
		mb = (limit.rlim_cur + MB - 1) / MB;
	snprintf(text, sizeof(text), "%llu", mb ? mb : 1);
	add_copy(o, "-Xss%sm", text);
}

/* C2 makes code that is faster by a quarter, but compiles for seconds: on few processors, which programs that poll keep busy, most programs would
 * end before it does. C1 that inlines more is ready at once (5 s of ib_write_bw on 2 processors: 8.0 against 5.2 Gbit/s). */
static void add_compiler(struct options *o)
{
	enum { FEW_PROCESSORS = 3 };
	cpu_set_t cpus;

	if (sched_getaffinity(0, sizeof(cpus), &cpus) != 0 || CPU_COUNT(&cpus) > FEW_PROCESSORS)
		return;
	add_option(o, "-XX:TieredStopAtLevel=1");
	add_option(o, "-XX:C1MaxInlineSize=70");
	add_option(o, "-XX:C1MaxInlineLevel=15");
}

static void fill_options(struct options *o, const struct mroce_java *java)
{
	static char *const fixed[] = {
		"-XX:+IgnoreUnrecognizedVMOptions", "-XX:+UseSerialGC", "-Xmx64m", "-Xrs", "--enable-native-access=ALL-UNNAMED",
		"-XX:-UsePerfData", "-XX:+DisableAttachMechanism",
	};
	char *extra = getenv("METAROCE_JAVA_OPTIONS"), *save = NULL;
	const char *train = getenv("METAROCE_AOT_TRAIN");

	add_copy(o, "-Djava.class.path=%s", java->class_path);
	add_stack_size(o);
	for (size_t i = 0; i < sizeof(fixed) / sizeof(fixed[0]); i++)
		add_option(o, fixed[i]);
	add_compiler(o);
	if (train && *train) {
		snprintf(aot_output, sizeof(aot_output), "%s", train);
		add_copy(o, "-XX:AOTCacheOutput=%s", train);
		/* Profiles of methods would go into the cache as well, but JDK 25 fails in TrainingData::init_dumptime_table. */
		add_option(o, "-XX:+UnlockDiagnosticVMOptions");
		add_option(o, "-XX:-AOTRecordTraining");
	} else {
		if (java->aot_cache[0])
			add_copy(o, "-XX:AOTCache=%s", java->aot_cache);
		add_option(o, "-Xlog:disable");
		add_option(o, "-Xlog:all=off:stderr");
	}
	if (extra && (extra = strdup(extra)))
		for (char *word = strtok_r(extra, " ", &save); word; word = strtok_r(NULL, " ", &save))
			add_option(o, word);
}

/* ---- start ---- */

static int prepare(char *why, size_t why_size)
{
	struct mroce_control *control =
		mmap(NULL, (sizeof(*control) + 4095) & ~4095ul, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (control == MAP_FAILED) {
		snprintf(why, why_size, "no memory");
		return ENOMEM;
	}
	madvise(control, (sizeof(*control) + 4095) & ~4095ul, MADV_DONTFORK);
	control->kick_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	control->next_deadline_ns = UINT64_MAX;
	mroce_boot.abi_version = MROCE_ABI_VERSION;
	mroce_boot.abi_table = (uintptr_t)mroce_abi_table;
	mroce_boot.control = (uintptr_t)control;
	mroce_boot.async_ring = (uintptr_t)mroce_ring_new(ASYNC_SLOTS, sizeof(struct mroce_async_slot));
	mroce_boot.async_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	mroce_boot.fn_copy = (uintptr_t)mroce_guard_copy;
	mroce_boot.fn_cas = (uintptr_t)mroce_guard_cas;
	mroce_boot.fn_fetch_add = (uintptr_t)mroce_guard_fetch_add;
	mroce_boot.fn_store = (uintptr_t)mroce_guard_store;
	mroce_fill_plane_list(&mroce_boot);
	mroce_helper_init();
	if (control->kick_fd < 0 || mroce_boot.async_fd < 0 || !mroce_boot.async_ring) {
		snprintf(why, why_size, "no file descriptor or memory left");
		return EMFILE;
	}
	mroce_ctl = control;
	return 0;
}

static int run_bridge(JNIEnv *env, char *why, size_t why_size)
{
	jclass bridge = (*env)->FindClass(env, "io/metaroce/shim/Bridge");
	jmethodID start = bridge ? (*env)->GetStaticMethodID(env, bridge, "start", "(J)I") : NULL;
	jint error = EIO;

	if (start)
		error = (*env)->CallStaticIntMethod(env, bridge, start, (jlong)(uintptr_t)&mroce_boot);
	if ((*env)->ExceptionCheck(env)) {
		(*env)->ExceptionDescribe(env);
		(*env)->ExceptionClear(env);
		error = EIO;
	}
	if (error) {
		mroce_boot.error[sizeof(mroce_boot.error) - 1] = 0;
		snprintf(why, why_size, "%s", mroce_boot.error[0] ? mroce_boot.error : "the Java side did not start");
	} else if (!mroce_boot.fn_drive || !mroce_boot.fn_command) {
		snprintf(why, why_size, "the Java side published no upcalls");
		error = EIO;
	}
	return error;
}

/*
 * Threads are attached here and not by the upcall itself: that would leave a destructor of a thread's local storage behind, which exit() runs as
 * well, in a forked child too, where it waits for locks that threads held which are not there.
 */
static void detach(void *unused)
{
	(void)unused;
	if (load_relaxed(&mroce_forked))
		return;
	mroce_upcall_detached();
	(*vm)->DetachCurrentThread(vm);
}

bool mroce_vm_attach(void)
{
	JNIEnv *env;

	return (*vm)->AttachCurrentThreadAsDaemon(vm, (void **)&env, NULL) == JNI_OK && pthread_setspecific(detach_key, vm) == 0;
}

static int create_vm(char *why, size_t why_size)
{
	struct mroce_java java;
	struct options options = { .count = 0 };
	JNIEnv *env = NULL;

	if (process_has_vm()) {
		snprintf(why, why_size, "this process has a Java VM of its own, and there can be only one; Java programs use verbs-api");
		return ENODEV;
	}
	if (mroce_find_java(&java, why, why_size))
		return ENODEV;
	void *lib = mroce_real_dlopen(java.libjvm, RTLD_NOW | RTLD_GLOBAL);
	jint (*create)(JavaVM **, void **, void *) =
		lib ? (jint(*)(JavaVM **, void **, void *))(uintptr_t)dlsym(lib, "JNI_CreateJavaVM") : NULL;
	if (!create) {
		snprintf(why, why_size, "cannot load %s: %s", java.libjvm, dlerror());
		return ENODEV;
	}
	int error = prepare(why, why_size);
	if (error)
		return error;
	error = pthread_key_create(&detach_key, detach);
	if (error) {
		snprintf(why, why_size, "the program has used up the keys of thread-local storage (pthread_key_create)");
		return error;
	}
	fill_options(&options, &java);
	JavaVMInitArgs args = { .version = JNI_VERSION_10, .nOptions = options.count, .options = options.list };

	mroce_signals_before_vm(lib);
	creating = true;
	jint rc = create(&vm, (void **)&env, &args);
	creating = false;
	mroce_signals_after_vm(rc == JNI_OK);
	if (rc != JNI_OK) {
		snprintf(why, why_size, "the Java VM of %s did not start (JNI error %d)", java.home, (int)rc);
		return ENODEV;
	}
	return run_bridge(env, why, why_size);
}

static void set_state(uint32_t now)
{
	pthread_mutex_lock(&mutex);
	store_release(&state, now);
	pthread_cond_broadcast(&changed);
	pthread_mutex_unlock(&mutex);
}

static void *vm_main(void *unused)
{
	char why[512] = "";

	(void)unused;
	pthread_setname_np(pthread_self(), "mroce-vm");
	int error = create_vm(why, sizeof(why));
	if (error) {
		mroce_say("the device cannot be used: %s", why);
		set_state(VM_FAILED);
		if (!vm)
			return NULL;
	} else {
		store_seq(&mroce_ctl->state, MROCE_RUNNING);
		set_state(VM_RUNNING);
	}
	mroce_helper_loop();
	(*vm)->DestroyJavaVM(vm); /* writes the AOT cache */
	mroce_helper_finished();
	return NULL;
}

static int launch(void)
{
	pthread_attr_t attr;
	pthread_t thread;
	sigset_t all, old;

	/* The VM's threads inherit a mask: signals of the process are for the application's threads. */
	sigfillset(&all);
	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, VM_STACK);
	pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
	pthread_sigmask(SIG_SETMASK, &all, &old); /* ours: it leaves SEGV, BUS, ILL and FPE unblocked */
	int error = pthread_create(&thread, &attr, vm_main, NULL);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	pthread_attr_destroy(&attr);
	return error;
}

int mroce_vm_start(void)
{
	if (load_relaxed(&mroce_forked))
		return ENODEV;
	if (likely(load_acquire(&state) == VM_RUNNING))
		return 0;
	int cancel;

	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel);
	pthread_mutex_lock(&mutex);
	if (state == VM_NONE) {
		int error = launch();

		store_release(&state, error ? VM_FAILED : VM_STARTING);
		if (error)
			mroce_say("the device cannot be used: no thread for the Java VM: %s", strerror(error));
	}
	while (state == VM_STARTING)
		pthread_cond_wait(&changed, &mutex);
	int result = state == VM_RUNNING ? 0 : ENODEV;
	pthread_mutex_unlock(&mutex);
	pthread_setcancelstate(cancel, NULL);
	return result;
}

bool mroce_vm_training(void)
{
	return aot_output[0] != 0;
}
