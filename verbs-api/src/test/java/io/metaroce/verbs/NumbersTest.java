package io.metaroce.verbs;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Every number of this package is the one of verbs.h and errno.h. Needs gcc and libibverbs-dev. */
final class NumbersTest {
    @TempDir
    Path dir;

    @Test
    void numbers_are_those_of_the_headers() throws IOException, InterruptedException {
        Map<String, Integer> ours = ours();
        StringBuilder program =
                new StringBuilder("#include <errno.h>\n#include <stdio.h>\n#include <infiniband/verbs.h>\n");
        program.append("int main(void) {\n");
        for (String name : ours.keySet()) {
            program.append("printf(\"%s %d\\n\", \"")
                    .append(name)
                    .append("\", (int)")
                    .append(name)
                    .append(");\n");
        }
        program.append("return 0; }\n");
        Files.writeString(dir.resolve("numbers.c"), program);
        run("gcc", "-o", "numbers", "numbers.c");
        Map<String, Integer> theirs = new LinkedHashMap<>();
        for (String line : run(dir.resolve("numbers").toString()).split("\n")) {
            String[] words = line.split(" ");
            theirs.put(words[0], Integer.parseInt(words[1]));
        }
        assertEquals(theirs, ours);
    }

    private static Map<String, Integer> ours() {
        Map<String, Integer> all = new LinkedHashMap<>();
        for (QpState state : QpState.values()) {
            all.put("IBV_QPS_" + state, state.value());
            assertEquals(state, QpState.of(state.value()));
        }
        for (Mtu mtu : Mtu.values()) {
            all.put("IBV_" + mtu, mtu.value());
            assertEquals(mtu, Mtu.of(mtu.value()));
            assertEquals(mtu.name(), "MTU_" + mtu.bytes());
        }
        for (WorkStatus status : WorkStatus.values()) {
            all.put("IBV_WC_" + status, status.value());
            assertEquals(status, WorkStatus.of(status.value()));
        }
        for (WorkOpcode opcode : WorkOpcode.values()) {
            all.put("IBV_WC_" + opcode, opcode.value());
            assertEquals(opcode, WorkOpcode.of(opcode.value()));
        }
        for (AsyncEventType type : AsyncEventType.values()) {
            all.put("IBV_EVENT_" + type, type.value());
            assertEquals(type, AsyncEventType.of(type.value()));
        }
        all.put("IBV_ACCESS_LOCAL_WRITE", AccessFlags.LOCAL_WRITE);
        all.put("IBV_ACCESS_REMOTE_WRITE", AccessFlags.REMOTE_WRITE);
        all.put("IBV_ACCESS_REMOTE_READ", AccessFlags.REMOTE_READ);
        all.put("IBV_ACCESS_REMOTE_ATOMIC", AccessFlags.REMOTE_ATOMIC);
        all.put("IBV_SEND_FENCE", SendFlags.FENCE);
        all.put("IBV_SEND_SIGNALED", SendFlags.SIGNALED);
        all.put("IBV_SEND_SOLICITED", SendFlags.SOLICITED);
        all.put("IBV_QP_STATE", new QpAttributes().state(QpState.RTS).mask());
        all.put("IBV_QP_CUR_STATE", new QpAttributes().currentState(QpState.RTS).mask());
        all.put(
                "IBV_QP_EN_SQD_ASYNC_NOTIFY",
                new QpAttributes().drainedNotice(true).mask());
        all.put("IBV_QP_ACCESS_FLAGS", new QpAttributes().access(0).mask());
        all.put("IBV_QP_PKEY_INDEX", new QpAttributes().pkeyIndex(0).mask());
        all.put("IBV_QP_PORT", new QpAttributes().port(1).mask());
        all.put("IBV_QP_AV", new QpAttributes().address(new Gid(0, 0), 0).mask());
        all.put("IBV_QP_PATH_MTU", new QpAttributes().pathMtu(Mtu.MTU_256).mask());
        all.put("IBV_QP_TIMEOUT", new QpAttributes().timeout(0).mask());
        all.put("IBV_QP_RETRY_CNT", new QpAttributes().retryCount(0).mask());
        all.put("IBV_QP_RNR_RETRY", new QpAttributes().rnrRetry(0).mask());
        all.put("IBV_QP_RQ_PSN", new QpAttributes().receivePsn(0).mask());
        all.put("IBV_QP_MAX_QP_RD_ATOMIC", new QpAttributes().maxReadAtomic(0).mask());
        all.put("IBV_QP_MIN_RNR_TIMER", new QpAttributes().minRnrTimer(0).mask());
        all.put("IBV_QP_SQ_PSN", new QpAttributes().sendPsn(0).mask());
        all.put(
                "IBV_QP_MAX_DEST_RD_ATOMIC",
                new QpAttributes().maxDestinationReadAtomic(0).mask());
        all.put("IBV_QP_DEST_QPN", new QpAttributes().remoteQpNumber(0).mask());
        for (int errno : new int[] {
            Errno.EPERM,
            Errno.EINTR,
            Errno.EIO,
            Errno.EAGAIN,
            Errno.ENOMEM,
            Errno.EACCES,
            Errno.EFAULT,
            Errno.EBUSY,
            Errno.ENODEV,
            Errno.EINVAL,
            Errno.ENOSPC,
            Errno.ENODATA,
            Errno.EOPNOTSUPP,
            Errno.EADDRINUSE,
            Errno.EADDRNOTAVAIL,
            Errno.ENETUNREACH,
            Errno.ETIMEDOUT
        }) {
            all.put(Errno.name(errno), errno);
        }
        return all;
    }

    private String run(String... command) throws IOException, InterruptedException {
        Process process = new ProcessBuilder(command)
                .directory(dir.toFile())
                .redirectErrorStream(true)
                .start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertEquals(0, process.waitFor(), output);
        return output;
    }
}
